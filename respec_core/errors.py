"""The one exception that users see: a sentence saying what was wrong and what to do."""

SHOWN = 80  # characters of what a user gave, repeated in a sentence


class ReSpecError(ValueError):
    """Bad input or an unmet requirement. Its text is shown as is (CLI exit code 2, a notice in the app)."""


def reason(error: BaseException) -> str:
    """What went wrong, for the inside of a sentence: the first line of a message, which may be long or empty."""
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__


def shortened(text: str) -> str:
    """Text from outside, for the inside of a sentence: on one line, printable, at most :data:`SHOWN` characters."""
    shown = text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in shown)


def quoted(given: object) -> str:
    """What a user gave, as Python writes it, :func:`shortened`."""
    try:
        return shortened(repr(given[:SHOWN] if isinstance(given, str) else given))
    except (ValueError, RecursionError):  # Python does not print integers of thousands of digits
        return f"a very large {type(given).__name__}"

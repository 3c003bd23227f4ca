"""The one exception that users see: a sentence saying what was wrong and what to do."""


class ReSpecError(ValueError):
    """Bad input or an unmet requirement. Its text is shown as is (CLI exit code 2, a notice in the app)."""


def reason(error: BaseException) -> str:
    """What went wrong, for the inside of a sentence: the first line of a message, which may be long or empty."""
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__

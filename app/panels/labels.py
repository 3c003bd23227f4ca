"""Token text as labels. Everything a model wrote is untrusted: Plotly reads labels as a small HTML dialect."""

from __future__ import annotations

WHITESPACE = str.maketrans({" ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍"})
HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def short(piece: str, width: int = 7) -> str:
    """A piece with its whitespace visible, at most ``width`` characters."""
    shown = piece.translate(WHITESPACE)
    return shown if len(shown) <= width else f"{shown[: width - 1]}…"


def inert(text: str) -> str:
    """``text`` as Plotly will print it: markup has no effect."""
    return "".join(HTML.get(char, char) for char in text)


def count(number: int, noun: str) -> str:
    """``1 token``, ``2 tokens``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"

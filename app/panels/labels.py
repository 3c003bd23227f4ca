"""Token text as labels. Everything a model wrote is untrusted: Plotly reads labels as a small HTML dialect."""

from __future__ import annotations

import unicodedata

SIGNS = {
    " ": "␣",
    "\n": "↵",
    "\t": "⇥",
    "\r": "␍",
    "\u00a0": "⍽",
    "\u00ad": "⟨SHY⟩",
    "\u200b": "⟨ZWSP⟩",
    "\u200c": "⟨ZWNJ⟩",
    "\u200d": "⟨ZWJ⟩",
    "\u2028": "⟨LS⟩",
    "\u2029": "⟨PS⟩",
    "\u202f": "⟨NNBSP⟩",
    "\ufeff": "⟨BOM⟩",
}  # as ``static/signs.js`` has them
UNSEEN = frozenset({"Cc", "Cf", "Co", "Zs", "Zl", "Zp"})  # kinds of characters that leave nothing to see
SELECTORS = range(0xFE00, 0xFE10)  # variation selectors are marks by kind, and invisible
HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def sign(char: str) -> str:
    """``char``, or what stands for it where there would be nothing to see."""
    if char in SIGNS:
        return SIGNS[char]
    unseen = unicodedata.category(char) in UNSEEN or ord(char) in SELECTORS
    return f"⟨U+{ord(char):04X}⟩" if unseen else char


def visible(piece: str) -> str:
    """A piece with a sign for every character that cannot be seen."""
    return "".join(map(sign, piece))


def short(piece: str, width: int = 7) -> str:
    """A piece with nothing invisible in it, at most ``width`` characters; one sign stays whole."""
    signs = [sign(char) for char in piece[: width + 1]]
    if len(signs) <= 1 or sum(map(len, signs)) <= width:
        return "".join(signs)
    kept = ""
    for shown in signs:
        if kept and len(kept) + len(shown) > width - 1:
            break
        kept += shown
    return f"{kept}…"


def inert(text: str) -> str:
    """``text`` as Plotly will print it: markup has no effect."""
    return "".join(HTML.get(char, char) for char in text)


def count(number: int, noun: str) -> str:
    """``1 token``, ``2 tokens``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"

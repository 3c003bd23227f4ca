"""How a run's text may leave what plain decoding would have written, said once for every place that shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Loss:
    """A way to be lossy.

    Attributes:
        name: a few words, for a mark.
        why: a sentence on what may go wrong.
        difference: a sentence on a text that did differ from plain decoding's.
        tokens: of a rule of verification, what tokens are called that passed by it alone.
    """

    name: str
    why: str
    difference: str
    tokens: str = ""


RELAXED = Loss(
    "relaxed verification",
    "Relaxed verification may accept tokens that plain decoding would not have written.",
    "Relaxed tokens changed the text from there on.",
    "relaxed",
)
FLY = Loss(
    "FLy verification",
    "FLy lets a drafted token pass that plain decoding would not have written, where the target agrees with what follows it.",
    "Mismatches that FLy let pass changed the text from there on.",
    "by FLy",
)
LOSSY_RULES = {"relaxed": RELAXED, "fly": FLY}
"""What each rule of verification loses; the strict one loses nothing."""

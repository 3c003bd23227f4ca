"""A question whose answer is computed: what is asked, options, which is right, and the numbers that say so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from respec_core.errors import ReSpecError

MOST = 5


@dataclass(frozen=True)
class Question:
    """One.

    Attributes:
        options: two to five, all different.
        right: which of them.
        because: the numbers.
    """

    asked: str
    options: tuple[str, ...]
    right: int
    because: str

    def __post_init__(self) -> None:
        if not 2 <= len(self.options) <= MOST or len(set(self.options)) < len(self.options):
            raise ReSpecError(f"A question needs two to {MOST} different options: {self.asked}")


def among(asked: str, right: str, others: Iterable[str], because: str, *, ordered: bool = False) -> Question:
    """A question whose options are ``right`` and the ``others`` that differ from it, in one order for everybody.

    Args:
        ordered: keep them as they are given, ``right`` included; else they are sorted.
    """
    options = list(dict.fromkeys(others if ordered else [right, *others]))
    if right not in options:
        options.insert(0, right)
    if not ordered:
        options.sort(key=lambda text: (len(text), text))
    return Question(asked, tuple(options), options.index(right), because)


def counted(asked: str, right: int, others: Iterable[int], because: str) -> Question:
    """A question for a whole number; options ascend."""
    numbers = sorted({right, *(n for n in others if n >= 0)})
    while len(numbers) > MOST - 1:
        numbers.remove(max((n for n in numbers if n != right), key=lambda n: abs(n - right)))
    return Question(asked, tuple(map(str, numbers)), numbers.index(right), because)

"""What came of drafts so far in a run: how often tokens of a kind were right. Imports no torch."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from respec_core.engine.tree import DraftTree

PRIOR = 4.0  # judged tokens that a first guess is worth


def walked(tree: DraftTree, emitted: Sequence[int]) -> tuple[int, int]:
    """How many of a draft's levels what was written proves right, and how many it judges."""
    path = (0, *tree.along(emitted))
    right = len(path) - 1
    return right, right + (right < len(emitted) and bool(tree.children[path[-1]]))


@dataclass
class Records:
    """A run's rates of acceptance, a token at a time, by kind."""

    right: Counter[Hashable] = field(default_factory=Counter)
    judged: Counter[Hashable] = field(default_factory=Counter)

    def add(self, kind: Hashable, *, right: bool) -> None:
        """Count a token that was judged, verified or not: what was written judges it either way."""
        self.right[kind] += right
        self.judged[kind] += 1

    def rates(self, kind: Hashable, guesses: Iterable[float]) -> list[float]:
        """How likely such tokens are accepted behind accepted ones; each starts from its guess."""
        right, judged = self.right[kind], self.judged[kind] + PRIOR
        return [(right + PRIOR * guess) / judged for guess in guesses]


def level(value: float, bounds: Sequence[float]) -> int:
    """How many of the ascending ``bounds`` it reaches."""
    return bisect_right(bounds, value)

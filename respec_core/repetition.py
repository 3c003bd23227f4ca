"""Does the text loop? Text that repeats itself is easy to draft, so its speed-up stands for nothing else. No torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CYCLES = 3  # a loop goes round at least so often
SHARE = 1 / 3  # … covers at least this much of the text
SHORTEST = 12  # … and at least so many tokens


@dataclass(frozen=True)
class Loop:
    """Tokens ``start`` to ``start + length`` are the same ``period`` tokens over and over, the last time maybe in part."""

    start: int
    length: int
    period: int

    @property
    def cycles(self) -> int:
        """Whole rounds of the cycle."""
        return self.length // self.period


def find_loop(ids: Sequence[int]) -> Loop | None:
    """The longest stretch in which every token equals the one a period before, if it is a loop by the limits above.

    Of equally long stretches the shortest period counts. Takes len² / 6 comparisons.
    """
    tokens = np.asarray(ids, dtype=np.int64)
    needed = max(SHORTEST, SHARE * len(tokens))
    best: Loop | None = None
    for period in range(1, len(tokens) // CYCLES + 1):
        start, equal = _longest_run(tokens[period:] == tokens[:-period])
        length = equal + period
        if equal and length >= max(needed, CYCLES * period) and (best is None or length > best.length):
            best = Loop(start, length, period)
    return best


def _longest_run(same: np.ndarray) -> tuple[int, int]:
    """Start and length of the longest run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False]))))
    starts, ends = edges[::2], edges[1::2]
    if not len(starts):
        return 0, 0
    at = int(np.argmax(ends - starts))
    return int(starts[at]), int(ends[at] - starts[at])

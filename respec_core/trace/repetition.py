"""Does the text loop? Text that repeats itself is easy to draft, so its speed-up stands for nothing else. No torch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

CYCLES = 3  # a loop goes round at least so often
SHARE = 1 / 3  # … covers at least this much of the text
SHORTEST = 12  # … and at least so many tokens
LONGEST_PERIOD = 256  # tokens; looked for no further, so that long texts stay cheap


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

    Of equally long stretches the shortest period counts.
    """
    n = len(ids)
    needed = max(SHORTEST, SHARE * n)
    apart = math.ceil(needed * (CYCLES - 1) / CYCLES)  # in a loop at least so many tokens equal the one a period before
    best: Loop | None = None
    for period in range(1, min(LONGEST_PERIOD, n // CYCLES) + 1):
        for start, end in _equal_runs(ids, period, range(0, n, apart)):
            length = end - start + period
            if length >= max(needed, CYCLES * period) and (best is None or length > best.length):
                best = Loop(start - period, length, period)
        if best is not None and best.length == n:
            break
    return best


def _equal_runs(ids: Sequence[int], period: int, anchors: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The runs of positions whose token equals the one a period before, as start and end; those that hold an anchor."""
    n, end = len(ids), 0
    for anchor in anchors:
        if anchor < max(end, period) or ids[anchor] != ids[anchor - period]:
            continue
        start, end = anchor, anchor + 1
        while start > period and ids[start - 1] == ids[start - 1 - period]:
            start -= 1
        while end < n and ids[end] == ids[end - period]:
            end += 1
        yield start, end

"""What follows earlier occurrences of a suffix, counted: the arithmetic of SuffixDecoding (arXiv 2411.04975, §3; authors' code).

The share of occurrences of a text c that go on with d is N(c·d) / N(c). In the authors' suffix tree these are the counts of
two nodes; here they are counted from the occurrences themselves.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Tail = Sequence[int]


@dataclass(frozen=True)
class CountedDraft:
    """Drafted tokens, each with the index of its parent (−1: below the match) and its estimated probability."""

    tokens: tuple[int, ...] = ()
    parents: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()

    @property
    def score(self) -> float:
        """Expected accepted tokens, if the shares were true."""
        return sum(self.shares)


def grow_path(rows: Sequence[Tail], count: int, limit: int, least: float) -> CountedDraft:
    """The most frequent token behind every token.

    Args:
        rows: what stands behind each occurrence, newest first: of equally frequent tokens the newest is taken.
        count: occurrences, of which some may have nothing behind them.
        limit: most tokens.
        least: probability below which nothing is drafted.
    """
    tokens, shares = list[int](), list[float]()
    while len(tokens) < limit:
        at = len(tokens)
        tally = Counter(row[at] for row in rows if len(row) > at)
        if not tally:
            break
        ((token, times),) = tally.most_common(1)
        if times / count < least:
            break
        rows = [row for row in rows if len(row) > at and row[at] == token]
        tokens.append(token)
        shares.append(times / count)
    return CountedDraft(tuple(tokens), tuple(range(-1, len(tokens) - 1)), tuple(shares))


def grow_tree(rows: Sequence[Tail], count: int, limit: int, least: float) -> CountedDraft:
    """The likeliest tokens of all branches, best first; arguments as for :func:`grow_path`."""
    tokens, parents, shares = list[int](), list[int](), list[float]()
    heap: list[tuple[float, int, int, int, list[Tail]]] = []
    serial = 0

    def split(parent: int, depth: int, inside: Sequence[Tail]) -> None:
        nonlocal serial
        tally = Counter(row[depth] for row in inside if len(row) > depth)
        for token, times in tally.items():
            if times / count >= least:
                serial += 1
                below = [row for row in inside if len(row) > depth and row[depth] == token]
                heapq.heappush(heap, (-times / count, serial, parent, depth, below))

    split(-1, 0, rows)
    while heap and len(tokens) < limit:
        share, _, parent, depth, inside = heapq.heappop(heap)
        tokens.append(inside[0][depth])
        parents.append(parent)
        shares.append(-share)
        split(len(tokens) - 1, depth + 1, inside)
    return CountedDraft(tuple(tokens), tuple(parents), tuple(shares))


GROW = {"path": grow_path, "tree": grow_tree}

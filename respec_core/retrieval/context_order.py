"""All positions of a text, sorted by what stands before them, read backwards: a suffix array of the reversed text.

REST (arXiv 2311.08252, §3) sorts suffixes and asks for 16, 15 … 2 tokens one after the other. Sorted by their
reversed context instead, the positions whose context shares the longest suffix with a query stand side by side around
the place where the query itself would stand, so one binary search finds the longest match.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from respec_core.errors import ReSpecError

FILTER_CHUNK = 1 << 22
MAX_PART = 2**32 - 1


def sort_contexts(tokens: NDArray[np.unsignedinteger]) -> NDArray[np.uint32]:
    """Order of the positions 1..n of a part by their reversed context.

    Args:
        tokens: ``[n]``, any unsigned dtype, any vocabulary.

    Returns:
        uint32 ``[n]``: ``ends``, where ``tokens[:ends[r]]`` read backwards is the r-th smallest.

    Raises:
        ReSpecError: for a part beyond 2³² − 1 tokens (one single document that long).
    """
    from pydivsufsort import divsufsort

    n = len(tokens)
    if n > MAX_PART:
        raise ReSpecError(f"A single document has {n} tokens; the limit is {MAX_PART}: split the file.")
    if n == 0:
        return np.zeros(0, dtype=np.uint32)
    # The library sorts bytes. Big-endian ranks keep the order, and entries at whole tokens are the tokens' suffixes.
    present = np.zeros(int(tokens.max()) + 1, dtype=bool) if tokens.dtype.itemsize <= 2 else None
    if present is not None:
        present[tokens] = True
        ranks = (np.cumsum(present) - 1)[tokens]
    else:
        ranks = np.searchsorted(np.unique(tokens), tokens)
    width = 1 if (top := int(ranks.max())) < 2**8 else 2 if top < 2**16 else 4
    backwards = np.ascontiguousarray(ranks[::-1].astype(f">u{width}"))
    del ranks
    order = divsufsort(backwards.view(np.uint8))
    ends = np.empty(n, dtype=np.uint32)
    filled = 0
    for at in range(0, len(order), FILTER_CHUNK):  # in chunks: the temporaries would double the peak memory
        chunk = order[at : at + FILTER_CHUNK]
        whole = n - chunk[chunk % width == 0] // width
        ends[filled : filled + len(whole)] = whole
        filled += len(whole)
    return ends


def longest_context(
    tokens: Sequence[int] | memoryview, ends: Sequence[int] | memoryview, backwards: list[int]
) -> tuple[int, int]:
    """Length of the longest match of a query, and the rank where the query would stand.

    Args:
        tokens: ``[n]``; sliceable, slices with ``tolist`` or lists.
        ends: ``[n]`` from :func:`sort_contexts`.
        backwards: the query, last token first.
    """
    span = len(backwards)
    rank = bisect_left(ends, backwards, key=lambda end: _context(tokens, end, span))
    around = (ends[r] for r in (rank - 1, rank) if 0 <= r < len(ends))
    return max((_shared(_context(tokens, end, span), backwards) for end in around), default=0), rank


def context_range(
    tokens: Sequence[int] | memoryview, ends: Sequence[int] | memoryview, backwards: list[int], near: int
) -> tuple[int, int]:
    """Ranks ``lo, hi`` of every position whose context ends with the query, which does occur, next to ``near``."""
    span = len(backwards)

    def key(end: int) -> list[int]:
        return _context(tokens, end, span)

    lo = bisect_left(ends, backwards, 0, near, key=key)
    return lo, bisect_right(ends, backwards, lo, len(ends), key=key)


def _context(tokens: Sequence[int] | memoryview, end: int, span: int) -> list[int]:
    before = tokens[max(end - span, 0) : end]
    found = before.tolist() if isinstance(before, memoryview) else list(before)
    found.reverse()
    return found


def _shared(a: list[int], b: list[int]) -> int:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n

"""All earlier occurrences of the context's suffix: in prompt and output (dynamic) and in a corpus (static)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from respec_core.retrieval.datastore import Datastore, SuffixSpan
from respec_core.retrieval.suffix_automaton import Cursor, SuffixCursor

STATIC_SPAN = 32  # tokens of context that the store is asked for at first, and more where all of them match
Source = Literal["dynamic", "static"]  # the run's own text, the store


@dataclass(frozen=True)
class Occurrence:
    """One occurrence: ``match_len`` tokens end just before ``position``, ``continuation`` stands there.

    ``count`` is how many such places there are, where they were counted.
    """

    source: Source
    position: int
    match_len: int
    continuation: tuple[int, ...]
    count: int | None = None


class Retriever:
    """Dynamic suffix automaton of the run, and the static store if there is one. One a run.

    Continuations end before the first id from ``vocab_size`` on: a tokenizer may know tokens that the network lacks.

    Args:
        behind: a cursor behind a prompt.
    """

    def __init__(
        self,
        datastore: Datastore | None = None,
        vocab_size: int | None = None,
        behind: Callable[[Sequence[int]], Cursor] = SuffixCursor.behind,
    ) -> None:
        self.datastore = datastore
        self.vocab_size = vocab_size
        self.cursor: Cursor = SuffixCursor()
        self._behind = behind

    def begin(self, prompt: Sequence[int]) -> None:
        """Stand behind ``prompt``, whatever was read before."""
        self.cursor = self._behind(prompt)

    def read(self, tokens: Sequence[int]) -> None:
        """Take in committed tokens."""
        for token in tokens:
            self.cursor.read(token)

    def match_lengths(self, ids: Sequence[int]) -> tuple[int, int | None]:
        """Longest match in the run's own text, and in the store (None without one)."""
        if self.datastore is None:
            return self.cursor.length, None
        span = self._longest(ids)
        return self.cursor.length, span.length if span else 0

    def dynamic(self, length: int, limit: int) -> list[Occurrence]:
        """Up to ``limit`` occurrences in prompt and output, newest first, each with up to ``length`` tokens."""
        match, ends = self.cursor.length, self.cursor.occurrences()
        return [self._own(end, match, length, len(ends)) for end in ends[:limit]]

    def _own(self, end: int, match: int, length: int, count: int) -> Occurrence:
        return Occurrence("dynamic", end, match, self.cursor.at(end, length), count)

    def grams(self, longest: int, length: int, limit: int) -> list[Occurrence]:
        """Prompt lookup's occurrences: of the newest n tokens, n from ``longest`` down, those with all of ``length`` tokens
        behind them, for the first n that has any; up to ``limit`` of them, newest first."""
        levels = [*self.cursor.levels()]
        for n in range(min(longest, self.cursor.length), 0, -1):
            ends = next(ends for match, ends in reversed(levels) if match >= n)
            whole = [end for end in ends if end + length <= len(self.cursor)]
            if whole:
                return [self._own(end, n, length, len(whole)) for end in whole[:limit]]
        return []

    def earliest(self, length: int) -> list[Occurrence]:
        """The first occurrence in prompt and output behind which ``length`` tokens stand, see :meth:`SuffixCursor.earliest`."""
        match, ends = self.cursor.earliest(length + 1)
        return [self._own(end, match, length, len(ends)) for end in ends[-1:]]

    def own_levels(self, shortest: int, levels: int, length: int, limit: int) -> Sequence[Occurrence]:
        """Occurrences in prompt and output of the longest match and of the next shorter suffixes found elsewhere too.

        Longest match first, then newest; each place once, with its longest match.

        Args:
            levels: most suffix lengths; 1 is the longest match alone.
            limit: most occurrences in all.
        """

        def look() -> list[Occurrence]:
            found = dict[int, Occurrence]()
            for match, ends in islice(self.cursor.levels(shortest), levels):
                for end in ends:
                    if len(found) == limit:
                        return [*found.values()]
                    if end not in found:
                        found[end] = self._own(end, match, length, len(ends))
            return [*found.values()]

        return self.cursor.once(("own", shortest, levels, length, limit), look)

    def static_levels(
        self, ids: Sequence[int], shortest: int, levels: int, length: int, limit: int
    ) -> Sequence[Occurrence]:
        """The same in the store, where every length from the longest match down is asked."""
        if self.datastore is None:
            return ()
        key = "static", shortest, levels, length, limit
        return self.cursor.once(key, lambda: self._static_levels(ids, shortest, levels, length, limit))

    def _static_levels(
        self, ids: Sequence[int], shortest: int, levels: int, length: int, limit: int
    ) -> list[Occurrence]:
        found, span = dict[int, Occurrence](), self._longest(ids)
        for _ in range(levels):
            if span is None or span.length < shortest:
                break
            for occurrence in self._stored(span, length, limit):
                if len(found) < limit:
                    found.setdefault(occurrence.position, occurrence)
            if len(found) == limit:
                break
            span = self._within(ids, span.length - 1)
        return [*found.values()]

    def at(self, source: Source, position: int, length: int) -> tuple[int, ...]:
        """Up to ``length`` tokens that stand from ``position`` on; none outside the text."""
        if source == "dynamic":
            return self.cursor.at(max(position, 0), length)
        if self.datastore is None:
            return ()
        return self._until_unknown(self.datastore.continuations_at(np.asarray([position]), length)[0])

    def static(self, ids: Sequence[int], length: int, limit: int, most: int | None = None) -> list[Occurrence]:
        """Up to ``limit`` occurrences of the longest match in the store, of at most ``most`` tokens where that is set;
        evenly sampled if there are more."""
        span = self._longest(ids) if most is None else self._within(ids, most)
        return [] if span is None else self._stored(span, length, limit)

    def _within(self, ids: Sequence[int], most: int) -> SuffixSpan | None:
        """The longest match in the store of at most so many tokens."""
        if self.datastore is None or most < 1:
            return None
        return self.datastore.longest_suffix(ids, max_span=most, min_span=1)

    def _stored(self, span: SuffixSpan, length: int, limit: int) -> list[Occurrence]:
        assert self.datastore is not None
        positions = self.datastore.positions(span, limit)
        rows = self.datastore.continuations_at(np.asarray(positions), length)
        found = zip(positions.tolist(), rows, strict=True)
        candidates = [Occurrence("static", at, span.length, self._until_unknown(row), span.count) for at, row in found]
        return [candidate for candidate in candidates if candidate.continuation]

    def _longest(self, ids: Sequence[int]) -> SuffixSpan | None:
        """The longest match in the store, however long."""
        asked = STATIC_SPAN
        while self.datastore is not None:
            span = self._within(ids, asked)
            if span is None or span.length < asked:
                return span
            asked *= 4
        return None

    def _until_unknown(self, row: NDArray[np.int32]) -> tuple[int, ...]:
        unknown = row < 0  # −1 ends a row
        if self.vocab_size is not None:
            unknown |= row >= self.vocab_size
        return tuple(row[: int(unknown.argmax()) if unknown.any() else len(row)].tolist())

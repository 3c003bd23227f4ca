"""Where the newest tokens stood before, for every length of match: in the run's own text, and in a store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.retriever import Source

MOST_STORED = 512  # places in a store that are counted, evenly sampled where there are more


@dataclass(frozen=True)
class Places:
    """All occurrences of the newest ``match_len`` tokens.

    Attributes:
        shortest: the shortest match that stands at exactly these places.
        ends: positions just behind them, newest first; nothing stands behind the run's own end.
        count: how many were counted, the newest tokens themselves too where it is the run's own text.
    """

    source: Source
    match_len: int
    shortest: int
    ends: tuple[int, ...]
    count: int


class OwnText:
    """Prompt and output of a run, as they grow."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self._ends: dict[int, list[int]] = defaultdict(list)  # token → positions just behind it, oldest first

    def read(self, tokens: Sequence[int]) -> None:
        """Take in committed tokens."""
        for token in tokens:
            self.ids.append(token)
            self._ends[token].append(len(self.ids))

    def match_at(self, end: int) -> int:
        """How many of the newest tokens stand just before ``end`` too."""
        ids, here = self.ids, len(self.ids)
        return next((m for m in range(end) if ids[end - m - 1] != ids[here - m - 1]), end)

    def places(self, longest: int) -> Iterator[Places]:
        """From the shortest match to the longest that stands elsewhere too, of at most so many tokens; no set of places twice."""
        ids, here = self.ids, len(self.ids)
        ends = self._ends[ids[-1]] if ids else []
        match = shortest = 1
        while len(ends) > 1 and match <= min(longest, here):
            # the match may be one longer; another set of places is then another match
            longer = [end for end in ends if end > match and ids[end - match - 1] == ids[here - match - 1]]
            if match == longest or len(longer) < len(ends):
                yield Places("dynamic", match, shortest, tuple(reversed(ends[:-1])), len(ends))
                shortest = match + 1
            ends, match = longer, match + 1


def stored_places(store: Datastore, ids: Sequence[int], longest: int) -> Iterator[Places]:
    """The same in a store, from the longest match to the shortest."""
    most = longest
    while most >= 1 and (span := store.longest_suffix(ids, max_span=most, min_span=1)) is not None:
        shortest = span.length
        while shortest > 1 and (wider := store.longest_suffix(ids, max_span=shortest - 1, min_span=1)) is not None:
            if wider.count != span.count:
                break
            shortest = wider.length
        ends = store.positions(span, MOST_STORED).tolist()
        yield Places("static", span.length, shortest, tuple(ends), len(ends))
        most = shortest - 1

"""Where the newest tokens of a run stood before in its own text, for every length of match. Imports no torch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respec_core.retrieval.retriever import Source


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

    def tails(self, places: Places, length: int) -> list[list[int]]:
        """Up to ``length`` tokens behind each of them."""
        return [self.ids[end : end + length] for end in places.ends]

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

"""Copies of what followed the newest n-gram, in earlier answers and in the text itself (arXiv 2604.13519). Imports no torch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from respec_core.methods.toolspec.settings import LENGTHS

OWN = -1  # the run's own text, among answers by number


@dataclass(frozen=True)
class Copy:
    """What stands at ``at`` in a text, behind a match.

    Attributes:
        answer: the earlier answer's number, or :data:`OWN`.
    """

    answer: int
    at: int
    match_len: int
    tokens: tuple[int, ...]


class NgramPlaces:
    """Where every n-gram of the least length ends in a text that grows."""

    def __init__(self, least: int, ids: Sequence[int] = ()) -> None:
        self.least = least
        self.ids: list[int] = []
        self._ends: dict[tuple[int, ...], list[int]] = defaultdict(list)
        self.read(ids)

    def read(self, ids: Sequence[int]) -> None:
        """Take in tokens."""
        for token in ids:
            self.ids.append(token)
            if len(self.ids) >= self.least:
                self._ends[tuple(self.ids[-self.least :])].append(len(self.ids))

    def behind(self, newest: Sequence[int], longest: int) -> Iterator[tuple[int, int]]:
        """Ends of the newest tokens' n-gram, the earliest first, each with how many tokens match there, at most ``longest``."""
        for end in self._ends.get(tuple(newest[len(newest) - self.least :]), ()):
            most = min(end, len(newest), longest)
            ways = (m for m in range(self.least, most) if self.ids[end - m - 1] != newest[len(newest) - m - 1])
            yield end, next(ways, most)


def copies(ids: Sequence[int], texts: Sequence[tuple[int, NgramPlaces]], longest: int, shortest: int) -> list[Copy]:
    """At most as many copies as :data:`LENGTHS`: of the longest n-gram first, then text by text, the earliest place first.

    A copy has its full length, and neither begins another nor begins with one.

    Args:
        texts: by number, in the order in which they are searched.
        longest: tokens of the longest n-gram; longer matches count as this.
    """
    if shortest > longest or len(ids) < shortest:
        return []
    places = [(number, end, match, text) for number, text in texts for end, match in text.behind(ids, longest)]
    found: list[Copy] = []
    for match in range(longest, shortest - 1, -1):
        for number, end, length, text in places:
            if len(found) == len(LENGTHS):
                return found
            tokens = tuple(text.ids[end : end + LENGTHS[len(found)]])
            if (
                length >= match
                and len(tokens) == LENGTHS[len(found)]
                and not any(_one_begins(tokens, c) for c in found)
            ):
                found.append(Copy(number, end, length, tokens))
    return found


def _one_begins(tokens: tuple[int, ...], copy: Copy) -> bool:
    shared = min(len(tokens), len(copy.tokens))
    return tokens[:shared] == copy.tokens[:shared]

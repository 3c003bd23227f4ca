"""A suffix automaton built online, with a cursor on the longest suffix that occurred before.

Blumer et al. 1985; used for drafting by SAM-Decoding (arXiv 2411.10666, §3). A token costs amortised O(1).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import copy
from functools import lru_cache
from typing import TypeVar

Found = TypeVar("Found")


class SuffixAutomaton:
    """All substrings of a growing token sequence.

    State 0 is the empty string. Each state stands for a set of substrings with the same end positions; the longest
    has ``length[state]`` tokens and ``link[state]`` is the state of its longest suffix with other end positions.
    """

    def __init__(self, tokens: Sequence[int] = ()) -> None:
        self.tokens: list[int] = []
        self.length: list[int] = [0]
        self.link: list[int] = [-1]
        self._next: list[dict[int, int]] = [{}]
        self._end: list[int] = [-1]  # own end position; -1 for the root and for clones
        self._kids: list[dict[int, None]] = [{}]  # states linking here, in order of arrival
        self._last = 0
        for token in tokens:
            self.extend(token)

    def __len__(self) -> int:
        return len(self.tokens)

    def __copy__(self) -> SuffixAutomaton:
        twin = SuffixAutomaton()
        twin.tokens, twin.length, twin.link = self.tokens[:], self.length[:], self.link[:]
        twin._end, twin._last = self._end[:], self._last
        twin._next = [*map(dict, self._next)]
        twin._kids = [*map(dict, self._kids)]
        return twin

    def step(self, state: int, token: int) -> int | None:
        """The state after reading ``token`` in ``state``, None if that string does not occur."""
        return self._next[state].get(token)

    def extend(self, token: int) -> None:
        """Append ``token``."""
        self.tokens.append(token)
        state = self._add(len(self.tokens), len(self.tokens) - 1, {})
        at = self._last
        while at != -1 and token not in self._next[at]:
            self._next[at][token] = state
            at = self.link[at]
        if at == -1:
            self._hang(state, 0)
        else:
            found = self._next[at][token]
            if self.length[found] == self.length[at] + 1:
                self._hang(state, found)
            else:
                clone = self._add(self.length[at] + 1, -1, dict(self._next[found]))
                self._hang(clone, self.link[found])
                self._hang(found, clone)
                self._hang(state, clone)
                while at != -1 and self._next[at].get(token) == found:
                    self._next[at][token] = clone
                    at = self.link[at]
        self._last = state

    def _add(self, length: int, end: int, edges: dict[int, int]) -> int:
        self.length.append(length)
        self.link.append(-1)
        self._next.append(edges)
        self._end.append(end)
        self._kids.append({})
        return len(self.length) - 1

    def _hang(self, state: int, parent: int) -> None:
        old = self.link[state]
        if old != -1:
            del self._kids[old][state]
        self.link[state] = parent
        self._kids[parent][state] = None

    def ends(self, state: int) -> Iterator[int]:
        """Index of the last token of every occurrence of ``state``'s strings, in no particular order."""
        stack = [state]
        while stack:
            at = stack.pop()
            if self._end[at] >= 0:
                yield self._end[at]
            stack.extend(self._kids[at])


class Cursor(ABC):
    """Stands in a text behind the newest token, and knows the longest suffix there that occurs earlier."""

    @abstractmethod
    def __len__(self) -> int:
        """Tokens read."""

    @property
    @abstractmethod
    def length(self) -> int:
        """Tokens of that suffix."""

    @abstractmethod
    def read(self, token: int) -> None:
        """Append one confirmed token."""

    @abstractmethod
    def at(self, position: int, length: int) -> tuple[int, ...]:
        """Up to ``length`` of the tokens read, from ``position`` on."""

    @abstractmethod
    def levels(self, shortest: int = 1) -> Iterator[tuple[int, Sequence[int]]]:
        """The longest match, then every shorter suffix that occurs at more places, down to ``shortest`` tokens.

        Yields:
            the suffix's length, and the positions just behind all of its earlier occurrences, newest first.
        """

    def once(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """What ``make`` finds here; a cursor of a text that is read again and again keeps it under ``key``."""
        return make()

    def occurrences(self) -> Sequence[int]:
        """Positions just behind every earlier occurrence of the matched suffix, newest first; empty without match."""
        return next((ends for _, ends in self.levels()), [])

    def earliest(self, length: int) -> tuple[int, Sequence[int]]:
        """The first place of the longest match; of ever shorter ones, while no more than ``length`` tokens follow it.

        SAM-Decoding's rule (arXiv 2411.10666; its code's ``min_endpos``, and the climb to ancestor states).

        Returns:
            tokens that match at that place, and the positions behind all their earlier occurrences, newest first; the
            place is the last of these. 0 and none without match.
        """
        found: tuple[int, Sequence[int]] = 0, []
        for match, ends in self.levels():
            if not found[1] or ends[-1] < found[1][-1]:
                found = match, ends
            if len(self) - ends[-1] > length:
                break
        return found


class SuffixCursor(Cursor):
    """Of a growing text."""

    length = 0

    def __init__(self) -> None:
        self.automaton = SuffixAutomaton()
        self._state = 0

    def __len__(self) -> int:
        return len(self.automaton)

    def __copy__(self) -> SuffixCursor:
        twin = SuffixCursor()
        twin.automaton, twin.length, twin._state = copy(self.automaton), self.length, self._state
        return twin

    @classmethod
    def behind(cls, text: Sequence[int]) -> SuffixCursor:
        """Behind ``text``; a text of late, such as a prompt that is answered again, is not read anew but copied."""
        return copy(_read(tuple(text)))

    def read(self, token: int) -> None:
        """Append one confirmed token."""
        sam = self.automaton
        while (follow := sam.step(self._state, token)) is None and self._state != 0:
            self._state = sam.link[self._state]
            self.length = sam.length[self._state]
        if follow is not None:
            self._state = follow
            self.length += 1
        sam.extend(token)
        # the extension may have split this state: stay on the part that holds the match
        while self._state and sam.length[sam.link[self._state]] >= self.length:
            self._state = sam.link[self._state]

    def at(self, position: int, length: int) -> tuple[int, ...]:
        """See the base class."""
        return tuple(self.automaton.tokens[position : position + length])

    def levels(self, shortest: int = 1) -> Iterator[tuple[int, Sequence[int]]]:
        """See the base class."""
        state, length = self._state, self.length
        while length >= max(shortest, 1):
            yield length, self._earlier(state)
            state = self.automaton.link[state]
            length = self.automaton.length[state]

    def _earlier(self, state: int) -> list[int]:
        end = len(self.automaton)
        return sorted((e + 1 for e in self.automaton.ends(state) if e + 1 != end), reverse=True)


@lru_cache(maxsize=16)
def _read(text: tuple[int, ...]) -> SuffixCursor:
    cursor = SuffixCursor()
    for token in text:
        cursor.read(token)
    return cursor

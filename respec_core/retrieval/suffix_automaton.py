"""A suffix automaton built online, with a cursor on the longest suffix that occurred before.

Blumer et al. 1985; used for drafting by SAM-Decoding (arXiv 2411.10666, §3). A token costs amortised O(1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


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


class SuffixCursor:
    """The longest suffix of what was read that occurs earlier in the automaton's text.

    With ``grow`` the text read is the automaton's own (dynamic: prompt and output); without, the automaton is a fixed
    corpus (static).
    """

    def __init__(self, automaton: SuffixAutomaton, *, grow: bool) -> None:
        self.automaton = automaton
        self.grow = grow
        self.state = 0
        self.length = 0

    def read(self, token: int) -> None:
        """Move on by one confirmed token."""
        sam = self.automaton
        while (follow := sam.step(self.state, token)) is None and self.state != 0:
            self.state = sam.link[self.state]
            self.length = sam.length[self.state]
        if follow is not None:
            self.state = follow
            self.length += 1
        if self.grow:
            sam.extend(token)
            # the extension may have split this state: stay on the part that holds the match
            while self.state and sam.length[sam.link[self.state]] >= self.length:
                self.state = sam.link[self.state]

    def occurrences(self) -> list[int]:
        """Positions just behind every earlier occurrence of the matched suffix, newest first; empty without match."""
        if not self.length:
            return []
        end = len(self.automaton) if self.grow else -1
        return sorted((e + 1 for e in self.automaton.ends(self.state) if e + 1 != end), reverse=True)

"""RACER's memory of n-grams (arXiv 2604.14885 §3.2): a trie that forgets, and its borders. Imports no torch.

A border is a suffix of the text that stands in the trie: the states on the chain of fail links of an Aho–Corasick automaton,
from the longest down. Here they are looked up from the text, so that they are exact though the trie grows and forgets.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class State:
    """A text of ``depth`` tokens that begins an n-gram.

    Attributes:
        windows: n-grams that began so, each place counted.
        end: position behind its newest place.
        used: tokens read when it was last inserted, or a border led here.
    """

    token: int
    depth: int
    above: State | None
    below: dict[int, State] = field(default_factory=dict)
    windows: int = 0
    end: int = 0
    used: int = 0

    def upwards(self) -> Iterator[State]:
        """Itself and what it begins with, down to one token."""
        state: State = self
        while state.above is not None:
            yield state
            state = state.above


class Automaton:
    """The newest n-grams of a text: where there is no room, the least recently used leaf goes.

    Args:
        ngram: tokens of each.
        most: states, the root left out.
    """

    def __init__(self, ngram: int, most: int) -> None:
        self.ngram = ngram
        self.most = most
        self.root = State(-1, 0, None)
        self.read = 0
        self.forgotten = 0
        self._by_age: OrderedDict[State, None] = OrderedDict()  # nobody is older than a state below it

    def __len__(self) -> int:
        return len(self._by_age)

    def follow(self, ids: Sequence[int]) -> None:
        """Take in the n-grams of ``ids`` that end behind what was read before."""
        for end in range(self.read + 1, len(ids) + 1):
            self.read = end
            if end >= self.ngram:
                self._insert(ids[end - self.ngram : end], end - self.ngram)

    def borders(self, ids: Sequence[int], shortest: int) -> list[State]:
        """Suffixes of ``ids`` of at least so many tokens, the longest first."""
        lengths = range(min(self.ngram, len(ids)), max(shortest, 1) - 1, -1)
        found = (self._find(ids[len(ids) - length :]) for length in lengths)
        return [state for state in found if state is not None]

    def touch(self, state: State) -> None:
        """It is in use, and so is what it begins with."""
        for known in state.upwards():
            known.used = self.read
            self._by_age.move_to_end(known)

    def _find(self, tokens: Sequence[int]) -> State | None:
        state: State | None = self.root
        for token in tokens:
            if state is None:
                break
            state = state.below.get(token)
        return state

    def _insert(self, window: Sequence[int], start: int) -> None:
        state, added = self.root, list[State]()
        for depth, token in enumerate(window, 1):
            below = state.below.get(token)
            if below is None:
                below = state.below[token] = State(token, depth, state)
                added.append(below)
            state = below
            state.windows += 1
            state.end = start + depth
        for new in added:
            self._by_age[new] = None
        self.touch(state)
        while len(self) > self.most:
            self._forget()

    def _forget(self) -> None:
        oldest, _ = self._by_age.popitem(last=False)
        assert oldest.above is not None and not oldest.below
        del oldest.above.below[oldest.token]
        self.forgotten += 1

"""A text that is known to its end, read by many cursors: what is found behind a token is worked out once for all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from respec_core.retrieval.suffix_automaton import Cursor, Found, SuffixCursor

KEPT = 4096  # findings of one text


class SharedText:
    """A prompt and what follows it; cursors stand behind the prompt or further on.

    Of every place all suffixes that occur earlier are kept, so that a cursor moves by counting.
    """

    def __init__(self, prompt: Sequence[int], output: Sequence[int]) -> None:
        self.ids = (*prompt, *output)
        self.start = len(prompt)
        self._ahead: SuffixCursor | None = None
        self._levels: list[tuple[tuple[int, Sequence[int]], ...]] = []
        self._found: dict[tuple[int, Hashable], Any] = {}

    def levels(self, read: int) -> tuple[tuple[int, Sequence[int]], ...]:
        """Behind ``read`` tokens, see :meth:`Cursor.levels`."""
        if self._ahead is None:
            self._ahead = SuffixCursor.behind(self.ids[: self.start])
            self._levels.append((*self._ahead.levels(),))
        while len(self._levels) <= read - self.start:
            self._ahead.read(self.ids[len(self._ahead)])
            self._levels.append((*self._ahead.levels(),))
        return self._levels[read - self.start]

    def once(self, read: int, key: Hashable, make: Callable[[], Found]) -> Found:
        """What ``make`` finds behind ``read`` tokens, kept."""
        if (read, key) not in self._found:
            if len(self._found) >= KEPT:
                self._found.clear()
            self._found[read, key] = make()
        found: Found = self._found[read, key]
        return found

    def cursor(self, prompt: Sequence[int]) -> SharedCursor:
        """Behind the prompt."""
        if tuple(prompt) != self.ids[: self.start]:
            raise ValueError("a cursor of another prompt was asked for")
        return SharedCursor(self)


class SharedCursor(Cursor):
    """One reader of a shared text."""

    def __init__(self, text: SharedText) -> None:
        self.text, self._read = text, text.start

    def __len__(self) -> int:
        return self._read

    @property
    def length(self) -> int:
        """See the base class."""
        levels = self.text.levels(self._read)
        return levels[0][0] if levels else 0

    def read(self, token: int) -> None:
        """The text's next token."""
        if self.text.ids[self._read] != token:
            raise ValueError("a shared text goes on otherwise")
        self._read += 1

    def at(self, position: int, length: int) -> tuple[int, ...]:
        """See the base class."""
        return self.text.ids[position : min(position + length, self._read)]

    def levels(self, shortest: int = 1) -> Iterator[tuple[int, Sequence[int]]]:
        """See the base class."""
        return (level for level in self.text.levels(self._read) if level[0] >= shortest)

    def once(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """See the base class."""
        return self.text.once(self._read, key, make)

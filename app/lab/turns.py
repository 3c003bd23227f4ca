"""Whose turn it is on a set of texts: one question at a time, and those that a hand waits for go before long work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType


class Turns:
    """A lock that its thread may take again, and that long work gives away between two of its pieces."""

    def __init__(self) -> None:
        self._taken = threading.Condition(threading.RLock())
        self._counting = threading.Lock()
        self.waited_for = 0

    def __enter__(self) -> None:
        self._taken.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._taken.release()

    @contextmanager
    def first(self) -> Iterator[None]:
        """Before all work that gives way."""
        self._wait(1)
        try:
            with self._taken:
                yield
        finally:
            self._wait(-1)
            with self._taken:
                self._taken.notify_all()

    def _wait(self, more: int) -> None:
        with self._counting:
            self.waited_for += more

    def give_way(self) -> None:
        """Let them go first who are waited for; not to be called by one of these."""
        with self._taken:
            self._taken.wait_for(lambda: not self.waited_for)

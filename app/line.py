"""Who waits for the engine. A waiting page asks for its place every moment, and with that it stays in the line."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

PATIENCE = 6.0  # seconds: a page that asks no more has left, or has its turn
MAX_NAME = 64  # characters of what the browser calls a stream or a showcase
LONGEST = 200  # pages; a stranger who asks beyond gets the last place


class Line:
    """Runs before a stream's own, by the order in which pages first asked. Streams are named by their pages."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._asked: dict[str, float] = {}  # when each was last heard of, in order of arrival
        self._running = 0
        self._lock = threading.Lock()

    def ahead(self, stream: str) -> int:
        """Runs that come before ``stream``'s, the one under way included; it waits from now on."""
        with self._lock:
            now = self._clock()
            self._asked = {name: at for name, at in self._asked.items() if now - at <= PATIENCE}
            if stream in self._asked or len(self._asked) < LONGEST:
                self._asked[stream] = now
            waiting = list(self._asked)
            return self._running + (waiting.index(stream) if stream in self._asked else len(waiting))

    def answers(self) -> list[Callable[..., Any]]:
        """What a page asks while its run waits or is silent, by the functions' names."""

        def ahead(stream: Any = None) -> int:
            return self.ahead(stream[:MAX_NAME] if isinstance(stream, str) else "")

        def alive(_: Any = None) -> bool:
            return True

        return [ahead, alive]

    @contextmanager
    def turn(self, stream: str = "") -> Iterator[None]:
        """The body runs on the engine; its stream waits no more."""
        with self._lock:
            self._asked.pop(stream, None)
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

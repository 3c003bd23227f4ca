"""Where a round's time goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter


class PhaseClock:
    """Milliseconds by phase: route, retrieve, draft, search, fuse, verify, commit. Nested phases count once, inside.

    Args:
        now: seconds since some moment; a replay has a time of its own.
    """

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self.now = now
        self.ms: dict[str, float] = {}
        self._inner = 0.0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the body as ``name``; time of phases inside it is theirs."""
        outer, self._inner = self._inner, 0.0
        start = self.now()
        try:
            yield
        finally:
            spent = (self.now() - start) * 1e3
            self.ms[name] = self.ms.get(name, 0.0) + spent - self._inner
            self._inner = outer + spent


class Stopwatch:
    """Seconds the engine itself worked: stopped while a consumer holds an event."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._since = perf_counter()

    def stop(self) -> None:
        """Stop counting (before a yield)."""
        self.seconds += perf_counter() - self._since

    def start(self) -> None:
        """Count again (after a yield)."""
        self._since = perf_counter()

"""The one line in which runs wait for a runner, in the order in which they came."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from heapq import heapreplace
from statistics import median
from time import monotonic
from typing import Any, TypedDict

from app.serving.limits import Limits
from app.serving.runners import Runner
from respec_core.errors import ReSpecError

MAX_NAME = 64  # characters of what the browser calls a stream or a showcase
REMEMBERED = 15  # runs from whose lengths the wait is expected
USUAL = Limits()
STOPPING = "The server is stopping and takes no more runs: try again when it is back."


class Standing(TypedDict):
    """Runs before one's own, those under way included, and the wait that is to be expected; None before a run has ended."""

    ahead: int
    seconds: float | None


class Place:
    """A run in the line; ``runner`` once it is its turn."""

    def __init__(self, stream: str, visitor: str, here: bool) -> None:
        self.stream, self.visitor, self.here = stream, visitor, here
        self.runner: Runner | None = None
        self.began = 0.0


class Line:
    """Streams are named by their pages; a stream without a name is a program's."""

    def __init__(
        self, runners: Sequence[Runner], limits: Limits = USUAL, clock: Callable[[], float] = monotonic
    ) -> None:
        self.runners, self.limits = tuple(runners), limits
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting: list[Place] = []
        self._running: list[Place] = []
        self._took: deque[float] = deque(maxlen=REMEMBERED)
        self._closes: float | None = None  # when what still runs is to end

    @contextmanager
    def place(self, stream: str = "", visitor: str = "", *, here: bool = False) -> Iterator[Place]:
        """Stand in the line, and leave it, or the runner, with the body.

        Args:
            here: whether the run needs this process's models.

        Raises:
            ReSpecError: if too many wait, the visitor has too many, or the server is stopping.
        """
        place = Place(stream, visitor, here)
        with self._changed:
            self._admit(place)
            self._waiting.append(place)
            self._grant()
        try:
            yield place
        finally:
            with self._changed:
                self._leave(place)

    def wait(self, place: Place, seconds: float | None = None) -> bool:
        """Whether its turn comes within ``seconds``.

        Raises:
            ReSpecError: if the server stops meanwhile.
        """

        def over() -> bool:
            self._grant()
            return place.runner is not None or self._closes is not None

        with self._changed:
            self._changed.wait_for(over, seconds)
            if place.runner is None and self._closes is not None:
                raise ReSpecError(STOPPING)
            return place.runner is not None

    def standing(self, stream: str) -> Standing:
        """Where ``stream`` stands, or would if it came now."""
        with self._changed:
            if stream and any(place.stream == stream for place in self._running):
                return {"ahead": 0, "seconds": 0.0}
            names = [place.stream for place in self._waiting]
            before = names.index(stream) if stream and stream in names else len(names)
            return {"ahead": len(self._running) + before, "seconds": self._expected(before)}

    @property
    def waiting(self) -> int:
        """Runs that wait."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """Runs under way."""
        return len(self._running)

    @property
    def over(self) -> bool:
        """Whether runs have to end now, as if their visitors had stopped them."""
        return self._closes is not None and self._clock() >= self._closes

    @property
    def closing(self) -> bool:
        """Whether no more runs are taken."""
        return self._closes is not None

    def close(self, grace: float) -> None:
        """Turn away who waits and who comes; what runs may go on for ``grace`` seconds."""
        with self._changed:
            self._closes = self._clock() + grace
            self._changed.notify_all()

    def emptied(self, seconds: float) -> bool:
        """Whether the last run leaves within ``seconds``."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running and not self._waiting, seconds)

    def answers(self) -> list[Callable[..., Any]]:
        """What a page asks while its run waits or is silent, by the functions' names."""

        def ahead(stream: Any = None) -> Standing:
            return self.standing(stream[:MAX_NAME] if isinstance(stream, str) else "")

        def alive(_: Any = None) -> bool:
            return True

        return [ahead, alive]

    def _admit(self, place: Place) -> None:
        if self._closes is not None:
            raise ReSpecError(STOPPING)
        everyone = [*self._waiting, *self._running]
        most = self.limits.per_visitor
        if most and place.visitor and sum(other.visitor == place.visitor for other in everyone) >= most:
            raise ReSpecError(f"You have {most} {'run' if most == 1 else 'runs'} here already: let one end first.")
        if len(self._waiting) >= self.limits.queued and not self._free(place):
            raise ReSpecError("The run was not taken: too many are waiting. Try again in a moment.")

    def _free(self, place: Place) -> Runner | None:
        busy = [other.runner for other in self._running]
        free = (runner for runner in self.runners if runner not in busy and (runner.here or not place.here))
        return next((runner for runner in free if runner.ready), None)

    def _grant(self) -> None:
        """Whoever can run now does."""
        for place in [*self._waiting]:
            if (runner := self._free(place)) is not None:
                place.runner, place.began = runner, self._clock()
                self._waiting.remove(place)
                self._running.append(place)
                self._changed.notify_all()

    def _leave(self, place: Place) -> None:
        if place in self._waiting:
            self._waiting.remove(place)
        else:
            self._running.remove(place)
            self._took.append(self._clock() - place.began)
        self._grant()
        self._changed.notify_all()

    def _expected(self, before: int) -> float | None:
        """As if every run took as long as is usual lately."""
        if not self._took:
            return None
        usual, now = median(self._took), self._clock()
        left = sorted(max(0.0, place.began + usual - now) for place in self._running)
        free = [0.0] * sum(runner.ready for runner in self.runners)
        free[len(free) - min(len(left), len(free)) :] = left[: len(free)]
        for _ in range(before if free else 0):
            heapreplace(free, free[0] + usual)
        return free[0] if free else None

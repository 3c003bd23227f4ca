"""Places of one network, lent to one session each: what was captured for one run serves the next."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Generic, Protocol, TypeVar

SMALLEST = 512  # rows; doubled until a run has room, so that runs of different lengths share a place


class Lendable(Protocol):
    """What can be lent again."""

    @property
    def capacity(self) -> int:
        """Rows that there is room for."""

    def clear(self) -> None:
        """Forget what the last run left."""


P = TypeVar("P", bound=Lendable)


class LentPlaces(Generic[P]):
    """As many as were ever lent at a time.

    Args:
        make: a place with room for that many rows.
    """

    def __init__(self, make: Callable[[int], P]) -> None:
        self._make = make
        self._free: list[P] = []
        self._back: SimpleQueue[P] = SimpleQueue()
        self._one_at_a_time = Lock()

    def lend(self, rows: int) -> P:
        """An empty one with room for ``rows``; the smallest there is, else a new one in the stead of a free one."""
        with self._one_at_a_time:
            place = self._taken(rows)
        if place is None:
            room = SMALLEST
            while room < rows:
                room *= 2
            return self._make(room)
        place.clear()
        return place

    def give_back(self, place: P) -> None:
        """Lend it again. A finaliser may come here from anywhere, so nothing is locked and nothing looked at."""
        self._back.put(place)

    def _taken(self, rows: int) -> P | None:
        try:
            while True:
                self._free.append(self._back.get_nowait())
        except Empty:
            self._free.sort(key=lambda place: place.capacity)
        place = next((place for place in self._free if place.capacity >= rows), None)
        if place is not None:
            self._free.remove(place)
        elif self._free:
            self._free.pop()
        return place

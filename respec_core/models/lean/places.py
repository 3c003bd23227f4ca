"""Places of one network, lent to one session each: what was captured for one run serves the next."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from respec_core.models.lean.capturing import Launch
from respec_core.models.lean.network import LeanNetwork
from respec_core.models.lean.place import Place

SMALLEST = 512  # rows; doubled until a run has room, so that runs of different lengths share a place


class Places:
    """As many as were ever lent at a time.

    Args:
        launches: as of :class:`~respec_core.models.lean.place.Place`.
    """

    def __init__(self, network: LeanNetwork, launches: Callable[[], Launch]) -> None:
        self.network, self._launches = network, launches
        self._free: list[Place] = []
        self._one_at_a_time = Lock()

    def lend(self, capacity: int) -> Place:
        """An empty one with room for ``capacity`` tokens; the smallest there is, else a new one in the stead of a free one."""
        with self._one_at_a_time:
            self._free.sort(key=lambda place: place.cache.capacity)
            place = next((place for place in self._free if place.cache.capacity >= capacity), None)
            if place is not None:
                self._free.remove(place)
            elif self._free:
                self._free.pop()
        if place is None:
            rows = SMALLEST
            while rows < capacity:
                rows *= 2
            return Place(self.network, rows, self._launches)
        place.cache.clear()
        return place

    def give_back(self, place: Place) -> None:
        """Lend it again."""
        self._free.append(place)

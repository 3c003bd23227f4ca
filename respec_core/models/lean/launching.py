"""Steps over addresses that stay, one for each size of block, each launched as one where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar, cast

from respec_core.errors import reason

R = TypeVar("R")


class Launch(Protocol):
    """Makes the step that is called of the step as it is written."""

    def __call__(self, step: Callable[[], R], /) -> Callable[[], R]: ...


def called(step: Callable[[], R]) -> Callable[[], R]:
    """``step`` itself: what processors do."""
    return step


class Launches:
    """How the steps of one network are launched, and which sizes cannot be.

    Args:
        make: what launches the steps over one set of addresses.
        say: told why, the first time that a size cannot be launched.
    """

    def __init__(self, make: Callable[[], Launch], say: Callable[[str], None]) -> None:
        self.make, self._say = make, say
        self._refused: set[int] = set()

    def refuses(self, size: int) -> bool:
        """Whether blocks of ``size`` could not be launched before."""
        return size in self._refused

    def refuse(self, size: int, error: RuntimeError) -> None:
        """From now on."""
        if not self._refused:
            self._say(f"blocks of {size} run without CUDA graphs: {reason(error)}")
        self._refused.add(size)


class LaunchedSteps:
    """The steps over one set of addresses, each launched once for its size and called again."""

    def __init__(self, launches: Launches) -> None:
        self._launches, self._launch = launches, launches.make()
        self._steps: dict[int, Callable[[], object]] = {}

    def run(self, size: int, step: Callable[[], R]) -> R | None:
        """The result of ``step``, of a size always the same; None where this size cannot be launched.

        The result is overwritten by the next: copy it at once.
        """
        if self._launches.refuses(size):
            return None
        try:
            if size not in self._steps:
                self._steps[size] = self._launch(step)
            return cast(R, self._steps[size]())  # made of a step of this kind
        except RuntimeError as error:  # torch's, for whatever a driver cannot do
            self._steps.pop(size, None)
            self._launch = self._launches.make()  # nothing more goes where a capture failed
            self._launches.refuse(size, error)
            return None

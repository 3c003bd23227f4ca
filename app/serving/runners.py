"""Who runs what visitors ask for: a model of this process, or one of another (``replicas.py``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from app.loading import Loader
from app.serving.borrowed_card import borrowing
from respec_core.errors import ReSpecError

if TYPE_CHECKING:
    from respec_core.methods.resources import Models

Job = Callable[[Callable[[], "Models"], Callable[[], bool]], Iterator[Any]]
"""Given what gives the models and what says whether to stop, everything that a run yields."""


class Runner(Protocol):
    """One run at a time.

    Attributes:
        here: whether it lends this process's models, with which a job may bring things of its own.
    """

    here: bool

    @property
    def ready(self) -> bool:
        """Whether it takes a run now."""

    def run(self, job: Job, stopped: Callable[[], bool]) -> Iterator[Any]:
        """What ``job`` yields; closing it ends the run.

        Raises:
            ReSpecError: if the run cannot be made.
        """


class Here:
    """Runs in the thread that asks, on the models of ``loader``; while these are loading a run is told so.

    Where a card is lent call by call, a run is a process of its own, which hears of no stop: what had come by then stays.
    """

    here = True
    ready = True

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._borrowing = borrowing(self._alone)

    def run(self, job: Job, stopped: Callable[[], bool]) -> Iterator[Any]:
        """As :class:`Runner` says."""
        if self._borrowing is None:
            yield from job(lambda: self._loader.models, stopped)
            return
        for part in self._borrowing(job):
            yield part
            if stopped():
                raise ReSpecError("Stopped: what had arrived by then is shown.")

    def _alone(self, job: Job) -> Iterator[Any]:
        yield from job(lambda: self._loader.models, lambda: False)

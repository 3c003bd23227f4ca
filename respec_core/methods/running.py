"""Running a request with the method that its settings name; the engine itself knows routers only."""

from __future__ import annotations

from collections.abc import Callable, Generator
from time import perf_counter

from respec_core.engine.decoding import Request
from respec_core.engine.decoding import decode as decode_with
from respec_core.engine.target import Loaded
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.trace.events import Event, folded
from respec_core.trace.schema import Run


def decode(
    request: Request, models: Models, loaded: Loaded | None = None, now: Callable[[], float] = perf_counter
) -> Generator[Event, None, None]:
    """Run ``request``; yields events that :class:`~respec_core.trace.events.TraceFolder` folds into a trace.

    Args:
        models: what the method drafts with.
        loaded: who verifies instead of the models' target: a text that is known already.
        now: the clock, in seconds.

    Raises:
        ReSpecError: before the first event, if the method cannot run here or the prompt does not fit.
    """
    router = find_method(request.config.method).build(request.config.params, models)
    yield from decode_with(request, router, loaded or models, now)


def complete(
    request: Request, models: Models, loaded: Loaded | None = None, now: Callable[[], float] = perf_counter
) -> Run:
    """The finished trace of :func:`decode`'s events."""
    return folded(decode(request, models, loaded, now))

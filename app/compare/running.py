"""One visitor's comparison: every configuration in a fixed order, then silent repeats of all of them.

A generator throughout, as in ``app.runs``: it can be closed, and asked to stop, between two events of the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from time import perf_counter
from typing import TYPE_CHECKING

from app.compare.asked import CompareRequest
from app.compare.contestants import FEWEST
from app.compare.messages import LaneMessage, TurnsMessage, comparison_message, made_message, timed_messages
from app.messages import Packer
from app.requests import RunRequest
from app.runs import RUN_SECONDS, events_of, guarded, request_of
from respec_core.errors import ReSpecError
from respec_core.methods.registry import find_method
from respec_core.trace.events import Committed, TraceFolder
from respec_core.trace.schema import Run
from respec_core.trace.speed import Speed

if TYPE_CHECKING:
    from respec_core.bench.repeats import Turns
    from respec_core.engine.decoding import Request
    from respec_core.methods.resources import Models

PACKET_SECONDS = 0.15


def compare_packets(
    request: CompareRequest,
    models: Callable[[], Models],
    stopped: Callable[[], bool] = lambda: False,
    seconds: float = RUN_SECONDS,
) -> Iterator[str]:
    """Everything that the page needs to show the comparison being made.

    Args:
        models: gives the loaded models, or raises a ReSpecError that says why there are none.
        stopped: whether the visitor asked to stop; what was made by then is compared.
        seconds: how long all of it may take.
    """
    packer, end = Packer(request.stream), perf_counter() + seconds
    yield from guarded(packer, _made(request, models, packer, lambda: stopped() or perf_counter() >= end))


def _made(
    request: CompareRequest, models: Callable[[], Models], packer: Packer, over: Callable[[], bool]
) -> Iterator[str]:
    runs: list[Run] = []
    for i, wanted in enumerate(request.runs):
        run = yield from _one(wanted, models(), packer, (i, len(request.runs)), over)
        if run.tokens or not over():
            runs.append(run)
            yield packer.pack([made_message(run)])
        if over():
            break
    if len(runs) < FEWEST:
        raise ReSpecError("Stopped before two runs were there: nothing to compare.")
    silent = request.turns > 0 and len(runs) == len(request.runs) and not over()
    yield packer.pack([comparison_message(runs, final=not silent, title="run here")])
    if silent:
        speeds = yield from _repeated(request, models(), packer, over)
        yield packer.pack([*timed_messages(runs, speeds), comparison_message(runs, speeds, title="run here")])


def _one(
    wanted: RunRequest, models: Models, packer: Packer, place: tuple[int, int], over: Callable[[], bool]
) -> Generator[str, None, Run]:
    """One run, its progress as packets; as far as it came where it was stopped."""
    folder, points, due = TraceFolder(), [(0.0, 0)], 0.0
    ms, tokens = 0.0, 0

    def message() -> LaneMessage:
        lane, lanes = place
        most = wanted.config.stopping.max_new_tokens
        return {
            "kind": "lane",
            "lane": lane,
            "lanes": lanes,
            "title": find_method(wanted.config.method).title,
            "points": points,
            "most": most,
        }

    with closing(events_of(wanted, models)) as events:
        for event in events:
            folder.add(event)
            if isinstance(event, Committed):
                ms, tokens = ms + sum(event.step.phase_ms.values()), tokens + len(event.tokens)
                points.append((ms, tokens))
            if points and perf_counter() >= due:
                yield packer.pack([message()])
                points, due = [], perf_counter() + PACKET_SECONDS
            if folder.started and over():
                break
    if points:
        yield packer.pack([message()])
    return folder.run()


def _repeated(
    request: CompareRequest, models: Models, packer: Packer, over: Callable[[], bool]
) -> Generator[str, None, tuple[Speed | None, ...]]:
    """× plain of each; nothing where the visitor stopped it."""
    from respec_core.bench.repeats import take_turns

    requests: list[Request] = [request_of(run, models) for run in request.runs]
    due = 0.0
    with closing(take_turns(requests, models, request.turns)) as turns:
        while True:
            try:
                progress = next(turns)
            except StopIteration as end:
                return tuple(map(_speed, end.value))
            if perf_counter() >= due:
                message: TurnsMessage = {"kind": "turns", "done": progress.done, "total": progress.total}
                yield packer.pack([message])
                due = perf_counter() + 4 * PACKET_SECONDS
            if over():
                return ()


def _speed(turns: Turns) -> Speed | None:
    if turns.spread is None:
        return None
    return Speed(*turns.spread, len(turns.ratios), silent=True)

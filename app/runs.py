"""One visitor's run: the engine's events become packets, at most about twelve a second.

A generator throughout. Closing it (the visitor left) closes the engine, which leaves nothing behind; a stop asked for
by the visitor is looked at between two events, so that the trace so far still arrives.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from time import perf_counter
from typing import TYPE_CHECKING

from app import messages
from app.measure import with_reference
from app.message_types import Message
from app.messages import Packer, RoundWriter
from app.requests import RunRequest
from respec_core.errors import ReSpecError
from respec_core.methods.registry import plain_config
from respec_core.trace.events import Committed, Drafted, Event, Prefilled, RunStarted, TraceFolder
from respec_core.trace.schema import Run

if TYPE_CHECKING:
    from respec_core.methods.resources import Models

PACKET_SECONDS = 0.08
RUN_SECONDS = 900.0  # the engine serves one visitor at a time: a run that takes longer ends as if it had been stopped
log = logging.getLogger(__name__)


def run_packets(
    request: RunRequest,
    models: Callable[[], Models],
    stopped: Callable[[], bool] = lambda: False,
    seconds: float = RUN_SECONDS,
) -> Iterator[str]:
    """Everything the page needs to show ``request`` running, as packets.

    Args:
        models: gives the loaded models, or raises a ReSpecError that says why there are none.
        stopped: whether the visitor asked to stop.
        seconds: how long it may take, the measurement of plain decoding included.
    """
    packer, end = Packer(request.stream), perf_counter() + seconds

    def over() -> bool:
        return stopped() or perf_counter() >= end

    try:
        yield from _run(request, models(), packer, over)
    except ReSpecError as error:
        yield packer.pack([messages.failed(str(error))])
    except Exception:
        log.exception("a run failed")
        yield packer.pack([messages.failed("The run failed unexpectedly; the server's log says why.")])


def run_to_end(request: RunRequest, models: Models, seconds: float = RUN_SECONDS) -> Run:
    """The trace of ``request`` without anyone watching, or as far as it came in ``seconds``.

    Raises:
        ReSpecError: if it cannot be run here.
    """
    folder, end = TraceFolder(), perf_counter() + seconds
    with closing(_events(request, models)) as events:
        for event in events:
            folder.add(event)
            if folder.started and perf_counter() >= end:
                break
    return folder.run()


def _run(request: RunRequest, models: Models, packer: Packer, stopped: Callable[[], bool]) -> Iterator[str]:
    folder, writer = TraceFolder(), RoundWriter()
    waiting: list[Message] = []
    due = 0.0
    with closing(_events(request, models)) as events:
        for event in events:
            folder.add(event)
            _collect(waiting, event, writer)
            if waiting and perf_counter() >= due:
                if folder.started and any(m["kind"] == "round" for m in waiting):
                    waiting.append(messages.running(folder.run()))
                yield packer.pack(waiting)
                waiting.clear()
                due = perf_counter() + PACKET_SECONDS
            if stopped():
                break
    run = folder.run()
    if request.measure_plain and not stopped() and run.output_ids:
        waiting.append(messages.running(run))
        yield packer.pack(waiting)
        waiting.clear()
        run = yield from _measured(request, models, run, packer, stopped)
    yield packer.pack([*waiting, messages.whole(run)])


def _measured(
    request: RunRequest, models: Models, run: Run, packer: Packer, stopped: Callable[[], bool]
) -> Generator[str, None, Run]:
    """Decode plainly, reporting progress; returns the run with its reference, or as it was when stopped."""
    folder = TraceFolder()
    total, done, due = len(run.output_ids), 0, 0.0
    plain = RunRequest(request.prompt, plain_config(request.config))
    with closing(_events(plain, models)) as events:
        for event in events:
            folder.add(event)
            done += len(event.tokens) if isinstance(event, Committed) else 0
            if perf_counter() >= due:
                yield packer.pack([messages.measuring(done, total)])
                due = perf_counter() + 0.2
            if stopped():
                return run
    return with_reference(run, folder.run())


def _events(request: RunRequest, models: Models) -> Generator[Event, None, None]:
    from respec_core.methods.running import decode
    from respec_core.models.prompts import request_for

    return decode(request_for(models.target, request.config, request.prompt), models)


def _collect(waiting: list[Message], event: Event, writer: RoundWriter) -> None:
    match event:
        case RunStarted():
            waiting.append(messages.started(event.run))
        case Prefilled():
            waiting.append(messages.prefilled(event.done, event.total))
        case Drafted():
            waiting.append(messages.drafted(event))
        case Committed():
            if waiting and waiting[-1]["kind"] == "draft":
                waiting.pop()  # decided before anyone could have seen it pending
            waiting.append(writer.write(event.step, event.tokens))

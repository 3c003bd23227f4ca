"""One visitor's run: the engine's events become packets, at most ten a second, fewer where each takes long.

The engine runs ahead in a thread of its own. Closing this generator (the visitor left) closes the engine, which leaves
nothing behind; a stop asked for by the visitor is looked at between two events, so that the trace so far still arrives.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from app import messages
from app.engine_thread import apart
from app.message_types import Message
from app.messages import Packer, RoundWriter
from app.pace import Pace
from app.panels import JsonOf, RecordJson
from app.requests import RunRequest
from respec_core.bench.reference import MEASURE_SECONDS, measuring
from respec_core.errors import ReSpecError
from respec_core.trace.events import Committed, Drafted, Event, Prefilled, RunFinished, RunStarted, TraceFolder
from respec_core.trace.schema import Run

if TYPE_CHECKING:
    from respec_core.engine.decoding import Request
    from respec_core.methods.resources import Models

# at most so often, in that share of the time, but at least so often: what making and sending takes is taken from the engine
PACKET_SECONDS, PACKET_SHARE, PACKET_LONGEST = 0.1, 0.03, 0.5
NUMBERS_SECONDS, NUMBERS_SHARE = 0.5, 0.02  # the run's numbers go over all its rounds
MEASURING_SECONDS = 1.0
RUN_SECONDS = 900.0  # the engine serves one visitor at a time: a run that takes longer ends as if it had been stopped
log = logging.getLogger(__name__)
Shown = RunStarted | Prefilled | Drafted | Committed  # events that the page hears of


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

    def packets() -> Iterator[str]:
        run = yield from _run(request, models(), packer, over)
        if request.measure_plain and not over() and run.output_ids:
            left = min(MEASURE_SECONDS, end - perf_counter())
            run = yield from _measured(request, models(), run, packer, over, left)
        yield packer.pack([messages.ended(run)])

    yield from guarded(packer, packets())


def guarded(packer: Packer, packets: Iterator[str]) -> Iterator[str]:
    """``packets``, and behind them one sentence if they end in an error."""
    try:
        yield from packets
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
    with closing(events_of(request, models)) as events:
        for event in events:
            folder.add(event)
            if folder.started and perf_counter() >= end:
                break
    return folder.run()


class RoundSaid(TypedDict):
    """A committed round: its number from 1, its text, how many tokens that is."""

    kind: Literal["round"]
    round: int
    text: str
    tokens: int


class TraceSaid(TypedDict):
    """The whole run, or as far as it came."""

    kind: Literal["trace"]
    trace: Annotated[RecordJson, JsonOf(Run)]


def run_rounds(
    request: RunRequest,
    models: Callable[[], Models],
    stopped: Callable[[], bool] = lambda: False,
    seconds: float = RUN_SECONDS,
) -> Iterator[RoundSaid | TraceSaid]:
    """``request`` round by round as it is committed, then its whole trace, or as far as it came in ``seconds``.

    Raises:
        ReSpecError: if it cannot be run here.
    """
    folder, end = TraceFolder(), perf_counter() + seconds
    with closing(events_of(request, models())) as events:
        for event in events:
            folder.add(event)
            if isinstance(event, Committed):
                text = "".join(token.text for token in event.tokens)
                yield {"kind": "round", "round": event.step.i + 1, "text": text, "tokens": len(event.tokens)}
            if folder.started and (stopped() or perf_counter() >= end):
                break
    yield {"kind": "trace", "trace": folder.run().model_dump(mode="json")}


def _run(request: RunRequest, models: Models, packer: Packer, stopped: Callable[[], bool]) -> Generator[str, None, Run]:
    """The rounds as they come; returns the run."""
    folder, writer = TraceFolder(), RoundWriter()
    waiting: list[Shown] = []
    packets = Pace(PACKET_SECONDS, PACKET_SHARE, PACKET_LONGEST)
    numbers = Pace(NUMBERS_SECONDS, NUMBERS_SHARE)
    with closing(events_of(request, models)) as events:
        for event in events:
            folder.add(event)
            _wait(waiting, event)
            if waiting and (now := perf_counter()) >= packets.due:
                said, rounds = _said(waiting, writer, folder)
                waiting.clear()
                counting = 0.0
                if rounds and (began := perf_counter()) >= numbers.due:
                    said.append(messages.running(folder.run()))
                    counting = perf_counter() - began
                    numbers.done(began, counting)
                yield packer.pack(said)  # comes back when it is on its way
                packets.done(now, perf_counter() - now - counting)
            if stopped():
                break
    run = folder.run()
    if waiting:
        yield packer.pack([*_said(waiting, writer, folder)[0], messages.running(run)])
    return run


def _wait(waiting: list[Shown], event: Event) -> None:
    """A draft is worth sending only where its round is not there: decided before anyone could have seen it pending."""
    if waiting and isinstance(waiting[-1], Drafted):
        waiting.pop()
    if not isinstance(event, RunFinished):
        waiting.append(event)


def _said(waiting: Sequence[Shown], writer: RoundWriter, folder: TraceFolder) -> tuple[list[Message], bool]:
    """What waits, as messages, and whether there is a round among it; beside rounds a draft would be drawn for a moment only."""
    rounds = any(isinstance(event, Committed) for event in waiting)
    said = [_message(event, writer) for event in waiting if not (rounds and isinstance(event, Drafted))]
    if rounds:
        said.append(messages.summed(folder.summary()))
    return said, rounds


def _message(event: Shown, writer: RoundWriter) -> Message:
    match event:
        case RunStarted():
            return messages.started(event.run)
        case Prefilled():
            return messages.prefilled(event.done, event.total)
        case Drafted():
            return messages.drafted(event)
        case Committed():
            return writer.write(event.step, event.tokens)


def _measured(
    request: RunRequest, models: Models, run: Run, packer: Packer, stopped: Callable[[], bool], seconds: float
) -> Generator[str, None, Run]:
    """Time it against plain decoding, with a sign of life a second; returns the run as it was when that was stopped."""
    due = perf_counter()
    with closing(measuring(request_of(request, models), run, models, seconds)) as runs:
        while not stopped():
            try:
                progress = next(runs)
            except StopIteration as end:
                measured_run: Run = end.value
                return measured_run
            if perf_counter() >= due:
                yield packer.pack([messages.measuring(progress.done, progress.total)])
                due = perf_counter() + MEASURING_SECONDS
    return run


def events_of(request: RunRequest, models: Models) -> Generator[Event, None, None]:
    """The engine's events, which do not wait for whoever reads them.

    Raises:
        ReSpecError: if it cannot be run here.
    """
    from respec_core.methods.running import decode

    return apart(lambda: decode(request_of(request, models), models))


def request_of(request: RunRequest, models: Models) -> Request:
    """What the engine is asked, the prompt tokenised."""
    from respec_core.models.prompts import request_for

    return request_for(models.target, request.config, request.prompt)

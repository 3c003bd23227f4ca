"""The Compare page: what the browser asks for, and what it is sent."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import gradio as gr

from app.compare.asked import CompareWishes, again, compare_request, runs_from, wishes_from
from app.compare.messages import ComparisonMessage, WishesMessage, comparison_message
from app.compare.running import compare_packets
from app.components import emits, panel
from app.events import ENGINE, HEAVY, LIGHT, QUIET
from app.form import form_schema
from app.glossary import glossary
from app.header import header, status_json
from app.live import POLL_SECONDS
from app.loading import Loader
from app.message_types import ErrorMessage
from app.messages import Packer, failed
from app.notices import warn
from app.outlook import outlook
from app.requests import DEFAULT_METHOD
from app.runs import guarded
from app.saved_page import empty_page
from app.sent import Sent
from app.serving.line import MAX_NAME, Line
from app.serving.turns import in_turn
from app.showcases import showcases
from app.stops import Stops
from respec_core.errors import ReSpecError

ADDRESS = "compare"
log = logging.getLogger(__name__)
OPENING = ("summary-sam", "summary-rasd", "summary-respec-strict")


def compare_page(demo: gr.Blocks, loader: Loader, line: Line) -> None:
    """Build the page and wire its events; call inside the route."""
    stops = Stops()

    head = header(loader, ADDRESS)
    compare = panel(
        "compare",
        events=("compare", "stop", "pick"),
        schema=json.dumps(form_schema(line.limits.tokens)),
        method=DEFAULT_METHOD,
        glossary=json.dumps(glossary()),
        showcases=json.dumps(
            [{"name": name, "title": s.title, "example": s.example} for name, s in showcases().items()]
        ),
        server_functions=[empty, outlook, *line.answers()],
    )
    timer = gr.Timer(POLL_SECONDS, active=False)

    def first(request: gr.Request) -> tuple[Any, ...]:
        return opening(wishes_from(dict(request.query_params))), *poll()

    def poll() -> tuple[Any, ...]:
        return status_json(loader), gr.Timer(active=loader.status.state == "loading")

    def run(event: Sent, request: gr.Request) -> Iterator[str]:
        yield from wanted(event, request, stops, line)

    def stop(event: Sent, request: gr.Request) -> None:
        stops.ask(str(request.session_hash), event.text("stream", MAX_NAME))

    def pick(event: Sent) -> str:
        return Packer(event.text("stream", MAX_NAME)).pack([picked(event.fields)])

    demo.load(first, None, [compare, head, timer], **LIGHT)
    timer.tick(poll, None, [head, timer], **LIGHT)
    running = compare.compare(run, None, compare, **ENGINE)
    running.failure(None, None, None, js=emits("refused"), **QUIET)
    compare.stop(stop, None, None, queue=False, **QUIET)
    compare.pick(pick, None, compare, **HEAVY)


def opening(wishes: CompareWishes) -> str:
    """What the page opens with: the form as its address has it, and the recorded runs that it names.

    Where the address asks for nothing, a few of ours; the form then has what would run them again.
    """
    elsewhere = wishes["asked"] or wishes["runs"]
    names = wishes["traces"] or ([] if elsewhere else list(OPENING))
    asked: WishesMessage = {"kind": "wishes", "wishes": again(names, wishes)}
    shown = [picked({"runs": [{"showcase": name} for name in names]})] if names else []
    return Packer("opening").pack([asked, *shown])


def wanted(event: Sent, visitor: gr.Request, stops: Stops, line: Line) -> Iterator[Any]:
    """The packets of the comparison that the browser asks for; one with an error if it cannot be made."""
    stream, session = event.text("stream", MAX_NAME), str(visitor.session_hash)
    try:
        request = compare_request(event.fields)
        line.limits.check(*(run.config for run in request.runs))
    except ReSpecError as error:
        yield Packer(stream).pack([refused(str(error))])
        return
    job, stopped = partial(compare_packets, request), stops.check(session, stream)
    try:
        yield from guarded(Packer(stream), in_turn(line, stream, visitor, job, stopped))
    finally:
        stops.forget(session, stream)


def picked(payload: Mapping[str, object]) -> ComparisonMessage | ErrorMessage:
    """Recorded and opened runs beside each other; an error in one sentence if they cannot be compared."""
    try:
        return comparison_message(runs_from(payload), title="runs that were there")
    except ReSpecError as error:
        return refused(str(error))
    except Exception:
        log.exception("traces could not be compared")
        return refused("These traces could not be compared: their parts do not fit together.")


def refused(sentence: str) -> ErrorMessage:
    """Why not, as a notice and as a message."""
    warn(sentence)
    return failed(sentence)


def empty(_: Any = None) -> str:
    """The saved page without its comparison; called by the browser, which always sends an argument."""
    return empty_page(ADDRESS)

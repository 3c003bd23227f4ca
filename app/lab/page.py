"""The Lab page: what the browser asks for, and what it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import gradio as gr

from app.components import emits, panel
from app.events import ENGINE, LIGHT, QUIET
from app.form import form_schema
from app.glossary import glossary
from app.header import header, status_json
from app.lab.answers import answer
from app.lab.asked import parse_question
from app.lab.confirm import confirm_packets
from app.lab.first_answers import FirstAnswers
from app.lab.imported import served_answer
from app.lab.messages import OpeningMessage
from app.lab.own import record_packets
from app.lab.sets import Sets
from app.live import POLL_SECONDS
from app.loading import Loader
from app.messages import Packer, failed
from app.outlook import outlook
from app.requests import DEFAULT_METHOD, from_query
from app.runs import guarded
from app.sent import Sent
from app.serving.line import MAX_NAME, Line
from app.serving.runners import Job
from app.serving.turns import in_turn
from app.stops import Stops
from respec_core.errors import ReSpecError

ADDRESS = "lab"


def lab_page(demo: gr.Blocks, loader: Loader, line: Line, sets: Sets) -> None:
    """Build the page and wire its events; call inside the route."""
    stops = Stops()

    first_answers = FirstAnswers()

    def lab(asked: Any = None) -> str:
        return first_answers.to(asked) or answer(asked, sets, loader.choice)

    def served(text: Any = None) -> str:
        return served_answer(text)

    head = header(loader, ADDRESS)
    page = panel(
        "lab",
        events=("record", "confirm", "stop"),
        schema=json.dumps(form_schema(line.limits.tokens)),
        method=DEFAULT_METHOD,
        glossary=json.dumps(glossary()),
        server_functions=[lab, served, outlook, *line.answers()],
    )
    timer = gr.Timer(POLL_SECONDS, active=False)

    def first(request: gr.Request) -> tuple[Any, ...]:
        asked: OpeningMessage = {"kind": "wishes", "wishes": from_query(dict(request.query_params))}
        return Packer("opening").pack([asked]), *poll()

    def poll() -> tuple[Any, ...]:
        return status_json(loader), gr.Timer(active=loader.status.state == "loading")

    def record(event: Sent, request: gr.Request) -> Iterator[Any]:
        stream = event.text("stream", MAX_NAME)
        text, tokens = event.fields.get("text"), event.fields.get("tokens")

        def job(models: Any, stopped: Any) -> Iterator[str]:
            return record_packets(stream, text, tokens, models, sets, stopped)

        yield from in_line(stream, request, job, stops, line)

    def confirm(event: Sent, request: gr.Request) -> Iterator[Any]:
        stream = event.text("stream", MAX_NAME)
        try:
            asked = parse_question(event.fields.get("question"))
            among = sets.find(asked.set)
        except ReSpecError as error:
            yield Packer(stream).pack([failed(str(error))])
            return
        yield from in_line(stream, request, partial(confirm_packets, stream, asked, among), stops, line)

    def stop(event: Sent, request: gr.Request) -> None:
        stops.ask(str(request.session_hash), event.text("stream", MAX_NAME))

    demo.load(first, None, [page, head, timer], **LIGHT)
    timer.tick(poll, None, [head, timer], **LIGHT)
    for event, act in ((page.record, record), (page.confirm, confirm)):
        event(act, None, page, **ENGINE).failure(None, None, None, js=emits("refused"), **QUIET)
    page.stop(stop, None, None, queue=False, **QUIET)


def in_line(stream: str, request: gr.Request, job: Job, stops: Stops, line: Line) -> Iterator[Any]:
    """The packets of ``job`` once it is its turn; it works on sets of this process."""
    session = str(request.session_hash)
    stopped = stops.check(session, stream)
    try:
        yield from guarded(Packer(stream), in_turn(line, stream, request, job, stopped, here=True))
    finally:
        stops.forget(session, stream)

"""The Live page: what the browser asks for, and what it is sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any

import gradio as gr

from app import messages
from app.components import emits, panel
from app.documents import Documents
from app.documents_box import documents_box
from app.events import ENGINE, HEAVY, LIGHT, QUIET
from app.form import form_schema
from app.gallery import listed, recording, recordings
from app.glossary import glossary
from app.header import header, status_json
from app.loading import Loader
from app.message_types import Place
from app.messages import NOWHERE, Packer
from app.notices import warn
from app.outlook import outlook
from app.panels.registry import described
from app.requests import DEFAULT_METHOD, RunRequest, Wishes, from_query, place_in, place_of, run_request
from app.runs import guarded, run_packets
from app.saved_page import empty_page
from app.sent import Sent
from app.sent_packets import SentPackets
from app.serving.line import MAX_NAME, Line
from app.serving.turns import in_turn
from app.showcases import OPENING
from app.stops import Stops
from app.what_if import answer
from respec_core.errors import ReSpecError
from respec_core.methods.traces import examined, parse_trace

PAGE_MAX_TRACE_MB = 16
POLL_SECONDS = 0.7
NOTHING_YET = "Nothing has been run with these settings yet: press Run."


def live_page(demo: gr.Blocks, loader: Loader, line: Line) -> None:
    """Build the page and wire its events; call inside ``demo``."""
    stops, numbers, documents, sent = Stops(), count(), Documents(), SentPackets()
    form = {"schema": json.dumps(form_schema(line.limits.tokens)), "method": DEFAULT_METHOD}

    head = header(loader, "")
    with gr.Row(elem_id="rs-page", equal_height=False):
        with gr.Column(elem_id="rs-side"):
            controls = panel("controls", events=("run", "stop"), server_functions=[outlook], **form)
            note, documents_said = documents_box(documents, loader)
        with gr.Column(elem_id="rs-main"):
            live = panel(
                "live",
                events=("open", "showcase"),
                showcases=json.dumps(listed()),
                panels=json.dumps(described()),
                glossary=json.dumps(glossary()),
                server_functions=answers(loader, line, sent),
            )
    timer = gr.Timer(POLL_SECONDS, active=False)

    def first(request: gr.Request) -> tuple[Any, ...]:
        return *opening(dict(request.query_params)), *poll(request)

    def poll(request: gr.Request) -> tuple[Any, ...]:
        return status_json(loader), gr.Timer(active=loader.status.state == "loading"), documents_said(request)

    def run(event: Sent, request: gr.Request) -> Iterator[Any]:
        yield from sent.through(
            event.text("stream", MAX_NAME), run_packets_in_turn(event, request, line, documents, stops)
        )

    def leave(request: gr.Request) -> None:
        documents.forget(str(request.session_hash))

    def stop(event: Sent, request: gr.Request) -> None:
        stops.ask(str(request.session_hash), event.text("stream", MAX_NAME))

    def open_trace(event: Sent) -> Any:
        return opened(event.fields, f"opened-{next(numbers)}")

    def open_showcase(event: Sent) -> tuple[Any, Any]:
        name, place = event.text("name", MAX_NAME), place_in(event.fields.get("place"))
        packet, prompt = showcase_packet(name, f"showcase-{next(numbers)}", place=place)
        return packet, json.dumps(prompt)

    demo.load(first, None, [live, controls, head, timer, note], **LIGHT)
    demo.unload(leave)
    timer.tick(poll, None, [head, timer, note], **LIGHT)
    running = controls.run(run, None, live, **ENGINE)
    running.failure(None, None, None, js=emits("refused"), **QUIET)  # nothing will come
    controls.stop(stop, None, None, queue=False, **QUIET)
    live.open(open_trace, None, live, **HEAVY)
    live.showcase(open_showcase, None, [live, controls], **LIGHT)


def answers(loader: Loader, line: Line, sent: SentPackets) -> list[Callable[..., Any]]:
    """What the browser asks without an event, by the functions' names."""

    def what_if(asked: Any = None) -> str:
        return answer(asked, loader)

    def whole(stream: Any = None) -> str:
        return sent.all_of(stream)

    return [empty, what_if, whole, *line.answers()]


def opening(query: dict[str, str]) -> tuple[Any, str]:
    """What the page opens with: the recorded run that its address names, and the form as the address or that run has it.

    An address that asks for settings and names no run shows none: another's figures beside them would mislead.
    """
    wishes, name = from_query(query), query.get("trace", "")
    if wishes["asked"] and name not in recordings():
        return Packer("opening").pack([messages.nothing(NOTHING_YET)]), json.dumps(wishes)
    known = name if name in recordings() else OPENING
    autoplay = query.get("play") != "0" and "round" not in query
    packet, prompt = showcase_packet(known, "opening", autoplay=autoplay, place=place_of(query))
    return packet, json.dumps(wishes if wishes["asked"] else {**prompt, "asked": False})


def run_packets_in_turn(
    event: Sent, request: gr.Request, line: Line, documents: Documents, stops: Stops
) -> Generator[Any, None, None]:
    """The packets of the run that the browser asks for, once it is its turn; a visitor's own documents are of this process."""
    wanted, session = run_wanted(event, line), str(request.session_hash)
    if isinstance(wanted, str):
        yield wanted
        return
    stream, stopped, own = wanted.stream, stops.check(session, wanted.stream), documents.has(session)
    job = documents.lent(session, partial(run_packets, wanted)) if own else partial(run_packets, wanted)
    try:
        yield from guarded(Packer(stream), in_turn(line, stream, request, job, stopped, here=own))
    finally:
        stops.forget(session, stream)


def run_wanted(event: Sent, line: Line) -> RunRequest | str:
    """The run that the browser asks for; a packet with an error if it cannot be."""
    try:
        wanted = run_request(event.payload)
        line.limits.check(wanted.config)
    except ReSpecError as error:
        warn(str(error))
        return Packer(event.text("stream", MAX_NAME)).pack([messages.failed(str(error))])
    return wanted


def empty(_: Any = None) -> str:
    """The saved page without its run; called by the browser, which always sends an argument."""
    return empty_page()


def showcase_packet(name: str, stream: str, *, autoplay: bool = True, place: Place = NOWHERE) -> tuple[Any, Wishes]:
    """A packet for a showcase, and the form's state that would make it again."""
    run, showcase = recording(name), recordings().get(name)
    if run is None or showcase is None:
        return gr.skip(), from_query({})
    wishes = {
        "method": showcase.method,
        "example": showcase.example,
        **{name: str(value) for name, value in showcase.settings.items()},
    }
    message = messages.whole(run, title="recorded run", autoplay=autoplay, showcase=name, place=place)
    return Packer(stream).pack([message]), from_query(wishes)


def opened(data: Mapping[str, object], stream: str) -> str:
    """A packet for a trace file that a visitor opened; an error in one sentence if it is none."""
    try:
        text = data.get("text")
        if not isinstance(text, str) or len(text) > PAGE_MAX_TRACE_MB * 2**20:
            raise ReSpecError(f"This page opens traces of up to {PAGE_MAX_TRACE_MB} MB.")
        run, broken = examined(parse_trace(text))
        name = str(data.get("name", "trace"))[:80]
        return Packer(stream).pack([messages.whole(run, title=name, broken=broken, place=place_in(data.get("place")))])
    except ReSpecError as error:
        warn(str(error))
        return Packer(stream).pack([messages.failed(str(error))])
    except Exception:
        text = "The trace could not be shown: its parts do not fit together."
        warn(text)
        return Packer(stream).pack([messages.failed(text)])

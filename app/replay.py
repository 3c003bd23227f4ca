"""The Replay page: a run that is there, recorded or opened from a file, over the whole width. It needs no model."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import gradio as gr

from app.components import panel
from app.events import HEAVY, LIGHT
from app.gallery import listed
from app.glossary import glossary
from app.header import header, status_json
from app.live import POLL_SECONDS, answers, opened, opening, showcase_packet
from app.loading import Loader
from app.panels.registry import described
from app.requests import place_in
from app.sent import Sent
from app.sent_packets import SentPackets
from app.serving.line import MAX_NAME, Line

ADDRESS = "replay"


def replay_page(demo: gr.Blocks, loader: Loader, line: Line) -> None:
    """Build the page and wire its events; call inside the route."""
    numbers = count()

    head = header(loader, ADDRESS)
    live = panel(
        "live",
        events=("open", "showcase"),
        page=ADDRESS,
        showcases=json.dumps(listed()),
        panels=json.dumps(described()),
        glossary=json.dumps(glossary()),
        server_functions=answers(loader, line, SentPackets()),
    )
    timer = gr.Timer(POLL_SECONDS, active=False)

    def first(request: gr.Request) -> tuple[Any, ...]:
        packet, _ = opening(dict(request.query_params))
        return packet, *poll()

    def poll() -> tuple[Any, ...]:
        return status_json(loader), gr.Timer(active=loader.status.state == "loading")

    def open_trace(event: Sent) -> Any:
        return opened(event.fields, f"replayed-{next(numbers)}")

    def open_showcase(event: Sent) -> Any:
        name, place = event.text("name", MAX_NAME), place_in(event.fields.get("place"))
        packet, _ = showcase_packet(name, f"showcase-{next(numbers)}", place=place)
        return packet

    demo.load(first, None, [live, head, timer], **LIGHT)
    timer.tick(poll, None, [head, timer], **LIGHT)
    live.open(open_trace, None, live, **HEAVY)
    live.showcase(open_showcase, None, live, **LIGHT)

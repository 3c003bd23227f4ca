"""The Lab page: what the browser asks for, and what it is sent."""

from __future__ import annotations

import json
from typing import Any

import gradio as gr

from app.components import panel
from app.form import form_schema
from app.lab.answers import answer
from app.lab.sets import Sets
from app.live import POLL_SECONDS, status_json
from app.loading import Loader
from app.requests import DEFAULT_METHOD, from_query

ADDRESS = "lab"


def lab_page(demo: gr.Blocks, loader: Loader) -> None:
    """Build the page and wire its events; call inside the route."""
    sets = Sets()
    light: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    light |= {"concurrency_limit": 8, "concurrency_id": "light"}

    def lab(asked: Any = None) -> str:
        return answer(asked, sets)

    header = panel("header", value=status_json(loader), page=ADDRESS)
    page = panel("lab", schema=json.dumps(form_schema()), method=DEFAULT_METHOD, server_functions=[lab])
    timer = gr.Timer(POLL_SECONDS, active=False)

    def first(request: gr.Request) -> tuple[Any, ...]:
        return json.dumps(from_query(dict(request.query_params))), *poll()

    def poll() -> tuple[Any, ...]:
        return status_json(loader), gr.Timer(active=loader.status.state == "loading")

    demo.load(first, None, [page, header, timer], **light)
    timer.tick(poll, None, [header, timer], **light)

"""A visitor's run, once it is its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from app.serving.line import Line
from app.serving.runners import Job
from respec_core.errors import ReSpecError

GLANCE_SECONDS = 1.0  # between two looks whether the visitor is still there


def in_turn(
    line: Line, stream: str, request: gr.Request, job: Job, stopped: Callable[[], bool], *, here: bool = False
) -> Iterator[Any]:
    """What ``job`` yields; before that nothing, again and again, at which Gradio notices who has left.

    Args:
        here: whether it needs this process's models.

    Raises:
        ReSpecError: if it is not taken, or stopped before its turn.
    """
    with line.place(stream, visitor_of(request), here=here) as place:
        while not line.wait(place, GLANCE_SECONDS):
            if stopped():
                raise ReSpecError("Stopped before its turn came.")
            yield gr.skip()
        if place.runner is not None:
            yield from place.runner.run(job, lambda: stopped() or line.over)


def visitor_of(request: gr.Request | None) -> str:
    """The address that asks; a server in front of this one has to say whose (``FORWARDED_ALLOW_IPS``)."""
    client = getattr(request, "client", None)
    return str(client.host) if client else ""

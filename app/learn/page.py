"""The Learn page: the list of lessons, one of them, and the verdicts about answers. It never waits for the engine."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any, TypedDict

import gradio as gr

from app.components import panel
from app.events import LIGHT
from app.header import header, status_json
from app.json_text import json_text
from app.learn.library import LessonLine, LessonView, Library
from app.learn.widget import Verdict
from app.live import POLL_SECONDS
from app.loading import Loader
from respec_core.boundary.untrusted_json import parse_json
from respec_core.errors import ReSpecError

ADDRESS = "learn"
MAX_ASKED = 2_000  # characters
log = logging.getLogger(__name__)


class LearnOpening(TypedDict):
    """What the page opens with; the browser asks for the lesson itself."""

    lessons: list[LessonLine]


class LessonAnswer(TypedDict):
    """A lesson, or one sentence why not."""

    lesson: LessonView | None
    error: str


def learn_page(demo: gr.Blocks, loader: Loader, library: Library) -> None:
    """Build the page; call inside the route."""
    head = header(loader, ADDRESS)
    learn = panel("learn", server_functions=answers(library))
    timer = gr.Timer(POLL_SECONDS, active=False)

    def first() -> tuple[Any, ...]:
        opening: LearnOpening = {"lessons": library.lines()}
        return json.dumps(opening), *poll()

    def poll() -> tuple[Any, ...]:
        return status_json(loader), gr.Timer(active=loader.status.state == "loading")

    demo.load(first, None, [learn, head, timer], **LIGHT)
    timer.tick(poll, None, [head, timer], **LIGHT)


def answers(library: Library) -> list[Callable[..., str]]:
    """What the browser asks without an event, by the functions' names."""

    def lesson(asked: Any = None) -> str:
        return lesson_json(library, asked)

    def check(asked: Any = None) -> str:
        return json.dumps(checked_answer(library, asked), ensure_ascii=False)

    return [lesson, check]


def lesson_json(library: Library, asked: Any) -> str:
    """The lesson called ``asked``, as JSON text."""
    try:
        found: LessonAnswer = {"lesson": library.view(str(asked)), "error": ""}
    except ReSpecError as error:
        found = {"lesson": None, "error": str(error)}
    except Exception:
        log.exception("a lesson could not be made")
        found = {"lesson": None, "error": "This lesson could not be made; the server's log says why."}
    return json_text(found)


def checked_answer(library: Library, asked: Any) -> Verdict:
    """The verdict about ``{"lesson", "step", "piece", "given"}`` in JSON text."""
    try:
        if not isinstance(asked, str) or len(asked) > MAX_ASKED:
            raise ReSpecError("The page sent no answer: reload it.")
        wish = parse_json(asked, "This answer")
        step, piece = (_place(wish, name) for name in ("step", "piece"))
        return library.check(str(wish.get("lesson")), step, piece, wish.get("given"))
    except ReSpecError as error:
        return {"right": False, "sentence": str(error)}


def _place(wish: Any, name: str) -> int:
    place = wish.get(name) if isinstance(wish, dict) else None
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < 100:
        raise ReSpecError("The page sent no answer: reload it.")
    return place

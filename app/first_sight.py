"""What there is to read of each page before any script of it has run: heading, a line about it, and its text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape

from app.gallery import recording, recordings
from app.lab.first_answers import FirstAnswers
from app.lab.warm import FIRST
from app.learn.library import Library
from app.requests import from_query
from app.showcases import OPENING
from respec_core.errors import ReSpecError
from respec_core.methods.registry import METHODS
from respec_core.trace.schema import Token

LOOK = {"what": "look", **FIRST}
KEPT = "ReSpec with the paper's gate, on the recorded texts:"
PAGES = {"": "Live", "compare": "Compare", "lab": "Lab", "learn": "Learn", "replay": "Replay"}
ABOUT = {
    "": "Press Run: the model continues your prompt, and its text appears here as it is written.",
    "compare": "Two to four configurations on one prompt, beside each other.",
    "lab": "What any settings would have done on recorded texts, while a knob is moved.",
    "learn": "Lessons on real runs.",
}


@dataclass(frozen=True)
class Sight:
    """A run's prompt and tokens where the page opens on one."""

    title: str
    about: str
    prompt: str = ""
    tokens: Sequence[Token] = field(default=())


def sights(library: Library) -> Mapping[str, Callable[[Mapping[str, str]], Sight]]:
    """By a page's name, what its address shows."""

    def plain(page: str) -> Callable[[Mapping[str, str]], Sight]:
        return lambda query: Sight(PAGES[page], ABOUT[page])

    kept = FirstAnswers()

    def lab(query: Mapping[str, str]) -> Sight:
        """The verdict that the page opens with, unless its address asks for another method or set."""
        look = None if from_query(query)["asked"] or "set" in query else kept.to(json.dumps(LOOK))
        told = f" {KEPT} {json.loads(look)['verdict']}" if look else ""
        return Sight(PAGES["lab"], f"{ABOUT['lab']}{told}")

    def learn(query: Mapping[str, str]) -> Sight:
        wanted = query.get("lesson", "")
        with suppress(ReSpecError):
            found = next((line for line in library.lines() if line["name"] == wanted), None)
            if found is not None and not found["wrong"]:
                return Sight(found["title"], found["about"])
        return Sight(PAGES["learn"], ABOUT["learn"])

    return {"": _live, "replay": _live, "compare": plain("compare"), "lab": lab, "learn": learn}


def _live(query: Mapping[str, str]) -> Sight:
    """The recorded run that Live opens on, unless its address asks for settings or a run of the browser's own."""
    name = query.get("trace", "")
    known = name if name in recordings() else OPENING
    run = recording(known)
    elsewhere = name not in recordings() and (from_query(query)["asked"] or "run" in query)
    if run is None or elsewhere:
        return Sight(PAGES[""], ABOUT[""])
    title = next((method.title for method in METHODS if method.name == run.method), run.method)
    return Sight(title, "recorded run", run.prompt_text, run.tokens)


def html_of(page: str, sight: Sight) -> str:
    """``sight`` with the page's head, as an element that the page's scripts take away. Every text of a run is escaped."""
    links = "".join(
        f'<a href="./{name}"{" aria-current" * (name == page)}>{title}</a>' for name, title in PAGES.items()
    )
    brand = (
        '<span class="rs-brand"><span class="rs-mark"></span><span class="rs-brand-name">ReSpec Studio</span></span>'
    )
    head = f'<div class="rs-header">{brand}<nav class="rs-nav" aria-label="Pages">{links}</nav></div>'
    heading = f"<h1>{escape(sight.title)}</h1>" + _part("p", "rs-first-about", "about", escape(sight.about))
    spans = "".join(
        f'<span class="rs-first-token rs-out-{token.outcome}">{escape(token.text)}</span>' for token in sight.tokens
    )
    texts = _part("div", "rs-first-prompt", "prompt", escape(sight.prompt)) + _part(
        "div", "rs-first-text", "text", spans
    )
    shown = f'<div class="rs-first-panel"{"" if spans else " hidden"}>{texts}</div>'
    main = f'<div class="rs-first-main"><div class="rs-first-panel">{heading}</div>{shown}</div>'
    return f'<div id="rs-first" class="rs">{head}<div class="rs-first-page"><div></div>{main}</div></div>'


def _part(tag: str, style: str, name: str, inner: str) -> str:
    return f'<{tag} class="{style}" data-part="{name}">{inner}</{tag}>'

"""Recorded runs of every method on every kind of prompt: which there are, and what came of them. By ``app.making.traces``."""

from __future__ import annotations

import json
from functools import cache
from typing import TypedDict

from app.examples import examples
from app.showcases import GALLERY, SHOWCASES, Showcase, run_in_file
from respec_core.methods.losses import losses
from respec_core.methods.registry import BASELINE, METHODS
from respec_core.trace.schema import Run
from respec_core.trace.speed import Speed, speed_of

INDEX = GALLERY / "index.json"
TOKENS = 32  # written in each run of the gallery alone
BY_ALL = ("copy-text", "question")  # examples that every method runs
BY_SOME = ("sam", "eagle2", "respec-strict")  # methods that run one example of each other kind
MADE_FOR = (("toolspec", "tool-call"),)  # what some methods are for


class GalleryLine(TypedDict):
    """A recorded run in a line. ``speed`` is the verdict of its silent repeats in words."""

    name: str
    title: str
    method: str
    example: str
    kind: str
    tokens: int
    per_pass: float
    speed: str
    lossy: bool


def planned() -> tuple[Showcase, ...]:
    """What is to be recorded: the showcases, and whatever they leave out of the methods and kinds."""
    there = {(showcase.method, showcase.example) for showcase in SHOWCASES}
    kinds = {showcase_kind(example): example for example in reversed([example.id for example in examples()])}
    done = {showcase_kind(example) for example in BY_ALL}
    wanted = [(method.name, example) for example in BY_ALL for method in METHODS]
    wanted += [(method, example) for kind, example in kinds.items() if kind not in done for method in BY_SOME]
    wanted += MADE_FOR
    titles = {example.id: example.title for example in examples()}
    names = {method.name: method.title for method in METHODS}
    more = (
        Showcase(
            f"{example}-{method}", f"{titles[example]}: {names[method]}", example, method, TOKENS, "auto", packed=True
        )
        for method, example in wanted
        if (method, example) not in there
    )
    return (*SHOWCASES, *more)


def showcase_kind(example: str) -> str:
    """The kind of an example prompt."""
    return next(known.kind for known in examples() if known.id == example)


@cache
def recordings() -> dict[str, Showcase]:
    """Whatever is recorded, by name, the showcases first."""
    return {showcase.name: showcase for showcase in planned() if showcase.path.is_file()}


def recording(name: str) -> Run | None:
    """The recorded run called ``name``, or None."""
    found = recordings().get(name)
    return run_in_file(found.path) if found else None


@cache
def listed() -> tuple[GalleryLine, ...]:
    """For the browser: of the index what is there."""
    lines: list[GalleryLine] = json.loads(INDEX.read_text(encoding="utf-8")) if INDEX.is_file() else []
    return tuple(line for line in lines if line["name"] in recordings())


def line_of(showcase: Showcase, run: Run) -> GalleryLine:
    """What the index says of a run."""
    return {
        "name": showcase.name,
        "title": showcase.title,
        "method": showcase.method,
        "example": showcase.example,
        "kind": showcase_kind(showcase.example),
        "tokens": len(run.tokens),
        "per_pass": round(len(run.tokens) / max(1, len(run.steps)), 2),
        "speed": "the baseline" if run.method == BASELINE.name else _verdict(speed_of(run)),
        "lossy": bool(losses(run.settings)),
    }


def _verdict(speed: Speed | None) -> str:
    if speed is None:
        return "not timed"
    if speed.repeats < 2:
        return f"{speed.ratio:.2f}× plain in one timing, which settles nothing"
    spread = f"{speed.ratio:.2f}× plain ({speed.low:.2f} to {speed.high:.2f}, n = {speed.repeats})"
    if not speed.clear:
        return f"no clear difference: {spread}"
    return spread if speed.ratio > 1 else f"slower: {spread}"

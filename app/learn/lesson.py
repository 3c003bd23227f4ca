"""A lesson's file: a head, then steps that begin with ``## ``; fenced blocks that name a widget and its values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from app.learn.markup import Prose, prose
from app.learn.widget import Fields, Widget
from respec_core.errors import ReSpecError, quoted

MAX_FILE = 64 * 2**10  # characters
MAX_STEPS = 12
MAX_PIECES = 24  # of a step
MAX_LINES = 24  # of a block
HEAD = re.compile(r"---\n(?P<head>.*?)\n---\n(?P<body>.*)", re.DOTALL)
FENCE = re.compile(r"^```(?P<name>[^\n]*)\n(?P<body>.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"(?P<name>[a-z_]+): *(?P<value>.*)")


class Head(Fields):
    """What a lesson says of itself."""

    title: str
    minutes: int
    about: str


@dataclass(frozen=True)
class Placed:
    """A widget with the values that the lesson gives it."""

    widget: Widget
    fields: Fields


@dataclass(frozen=True)
class LessonStep:
    """What is on screen at once."""

    title: str
    pieces: tuple[Prose | Placed, ...]


@dataclass(frozen=True)
class Lesson:
    """A lesson as its file has it."""

    name: str
    head: Head
    steps: tuple[LessonStep, ...]

    def placed(self) -> Iterator[Placed]:
        """Its widgets in order."""
        for step in self.steps:
            yield from (piece for piece in step.pieces if isinstance(piece, Placed))


def parse_lesson(name: str, text: str, widgets: Mapping[str, Widget]) -> Lesson:
    """Read a lesson.

    Raises:
        ReSpecError: one sentence that says where what is wrong.
    """
    if len(text) > MAX_FILE:
        raise ReSpecError(f"The lesson {name} is longer than {MAX_FILE // 2**10} thousand characters.")
    whole = HEAD.fullmatch(text.replace("\r\n", "\n"))
    if whole is None:
        raise ReSpecError(f"The lesson {name} does not begin with its title, minutes and about between two lines ---.")
    head = _validated(Head, fields_of(whole["head"]), f"the head of the lesson {name}")
    before, *parts = re.split(r"^## +", whole["body"], flags=re.MULTILINE)
    if before.strip() or not parts:
        raise ReSpecError(f"The lesson {name} has text outside its steps: each begins with ‘## ’ and a title.")
    if len(parts) > MAX_STEPS:
        raise ReSpecError(f"The lesson {name} has more than {MAX_STEPS} steps.")
    return Lesson(name, head, tuple(_step(name, part, widgets) for part in parts))


def fields_of(body: str) -> dict[str, str]:
    """The values of a block.

    Raises:
        ReSpecError: for a line that is not ``name: value``, a name given twice, or too many.
    """
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    if len(lines) > MAX_LINES:
        raise ReSpecError(f"A block has up to {MAX_LINES} lines.")
    found: dict[str, str] = {}
    for line in lines:
        field = FIELD.fullmatch(line)
        if field is None:
            raise ReSpecError(f"The line {quoted(line)} is not of the form ‘name: value’.")
        if field["name"] in found:
            raise ReSpecError(f"{field['name']} is given twice.")
        found[field["name"]] = field["value"]
    return found


def _step(name: str, part: str, widgets: Mapping[str, Widget]) -> LessonStep:
    title, _, body = part.partition("\n")
    where = f"the step ‘{title.strip()[:60]}’ of the lesson {name}"
    pieces = tuple(_pieces(body, widgets, where))
    if len(pieces) > MAX_PIECES:
        raise ReSpecError(f"In {where}: a step has up to {MAX_PIECES} blocks.")
    return LessonStep(title.strip()[:60], pieces)


def _pieces(body: str, widgets: Mapping[str, Widget], where: str) -> Iterator[Prose | Placed]:
    at = 0
    for fence in FENCE.finditer(body):
        yield from prose(body[at : fence.start()])
        yield _block(fence["name"].strip(), fence["body"], widgets, where)
        at = fence.end()
    rest = body[at:]
    if "```" in rest:
        raise ReSpecError(f"In {where}: a block is opened with ``` and not closed.")
    yield from prose(rest)


def _block(name: str, body: str, widgets: Mapping[str, Widget], where: str) -> Placed:
    widget = widgets.get(name)
    if widget is None:
        raise ReSpecError(f"In {where}: there is no widget {quoted(name)}; there are: {', '.join(widgets)}.")
    try:
        given = fields_of(body)
    except ReSpecError as error:
        raise ReSpecError(f"In {where}, block {name}: {error}") from error
    return Placed(widget, _validated(widget.fields, given, f"{where}, block {name}"))


def _validated(kind: type[Any], given: dict[str, str], where: str) -> Any:
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "a value"
        raise ReSpecError(f"In {where}: {field}: {first['msg'].removeprefix('Value error, ')}.") from error

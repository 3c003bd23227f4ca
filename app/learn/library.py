"""The lessons there are: files of folders, read when somebody asks for them, and again when they have changed."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, TypedDict

from app.learn.lesson import MAX_FILE, Lesson, LessonStep, Placed, parse_lesson
from app.learn.markup import Prose
from app.learn.recorded import recorded_run
from app.learn.widget import Verdict
from app.learn.widgets.automaton import AutomatonView
from app.learn.widgets.figure import FigureView
from app.learn.widgets.growth import GrowthView
from app.learn.widgets.knob import KnobView
from app.learn.widgets.mask import MaskView
from app.learn.widgets.number import NumberView
from app.learn.widgets.question import QuestionView
from app.learn.widgets.registry import WIDGETS
from app.learn.widgets.rule import RuleView
from app.learn.widgets.run import PlayerView
from app.message_types import PlayedRun
from app.messages import played
from respec_core.errors import ReSpecError, quoted

MOST_NODES = 60  # of a tree in a lesson
LESSONS = Path(__file__).parents[1] / "lessons"
FILE = re.compile(r"(?:\d+-)?(?P<name>[a-z0-9-]{1,40})")
log = logging.getLogger(__name__)

Piece = (
    Prose
    | QuestionView
    | KnobView
    | NumberView
    | PlayerView
    | FigureView
    | MaskView
    | GrowthView
    | RuleView
    | AutomatonView
)


class StepView(TypedDict):
    """A step as it is drawn."""

    title: str
    pieces: list[Piece]


class LessonView(TypedDict):
    """A lesson as it is drawn."""

    name: str
    title: str
    minutes: int
    about: str
    steps: list[StepView]
    runs: dict[str, PlayedRun]  # that its players show, by their names


class LessonLine(TypedDict):
    """A lesson in the list; ``wrong`` is a sentence where it cannot be read."""

    name: str
    title: str
    minutes: int
    about: str
    steps: list[str]
    wrong: str


class Library:
    """Lessons by name, in the order of their files.

    Args:
        folders: of Markdown files; a later folder's lesson replaces one of the same name.
    """

    def __init__(self, folders: Sequence[Path] = (LESSONS,)) -> None:
        self._folders = tuple(folders)

    def lines(self) -> list[LessonLine]:
        """All lessons."""
        return [_line(name, file) for name, file in self._files().items()]

    def view(self, name: str) -> LessonView:
        """The lesson called ``name``.

        Raises:
            ReSpecError: if there is none, or it cannot be read.
        """
        file = self._file(name)
        return _view(name, file, file.stat().st_mtime_ns)

    def warm(self) -> None:
        """Make every lesson once, so that each opens at once; what is wrong with one is said when it is asked for."""
        for line in self.lines():
            with suppress(ReSpecError):
                self.view(line["name"])

    def check(self, name: str, step: int, piece: int, given: object) -> Verdict:
        """The verdict about an answer to a piece of a step, both from 0.

        Raises:
            ReSpecError: if nothing is asked there.
        """
        file = self._file(name)
        changed = file.stat().st_mtime_ns
        try:
            placed = _lesson(name, file, changed).steps[step].pieces[piece]
            view: Mapping[str, Any] = _view(name, file, changed)["steps"][step]["pieces"][piece]
        except IndexError:
            raise ReSpecError(f"The lesson {name} has no such task: reload the page.") from None
        if not isinstance(placed, Placed) or placed.widget.check is None:
            raise ReSpecError("There is nothing to check here: reload the page.")
        return placed.widget.check(view, given)

    def _file(self, name: str) -> Path:
        found = self._files().get(name)
        if found is None:
            raise ReSpecError(f"There is no lesson {quoted(name)}; there are: {', '.join(self._files())}.")
        return found

    def _files(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for folder in self._folders:
            for file in sorted(folder.glob("*.md")):
                name = FILE.fullmatch(file.stem)
                if name:
                    found[name["name"]] = file
        return found


def _line(name: str, file: Path) -> LessonLine:
    try:
        lesson = _lesson(name, file, file.stat().st_mtime_ns)
    except (ReSpecError, OSError) as error:
        log.warning("%s", error)
        return {"name": name, "title": name, "minutes": 0, "about": "", "steps": [], "wrong": str(error)}
    head = lesson.head
    steps = [step.title for step in lesson.steps]
    return {
        "name": name,
        "title": head.title,
        "minutes": head.minutes,
        "about": head.about,
        "steps": steps,
        "wrong": "",
    }


@cache
def _lesson(name: str, file: Path, _changed: int) -> Lesson:
    if file.stat().st_size > 4 * MAX_FILE:
        raise ReSpecError(f"The lesson {name} is longer than {MAX_FILE // 2**10} thousand characters.")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ReSpecError(f"The lesson {name} is no UTF-8 text.") from None
    return parse_lesson(name, text, WIDGETS)


@cache
def _view(name: str, file: Path, changed: int) -> LessonView:
    lesson = _lesson(name, file, changed)
    head = lesson.head
    steps = [_step(lesson, step, file.parent) for step in lesson.steps]
    names = {piece["trace"] for step in steps for piece in step["pieces"] if piece["kind"] == "run"}
    return {
        "name": name,
        "title": head.title,
        "minutes": head.minutes,
        "about": head.about,
        "steps": steps,
        "runs": {name: played(recorded_run(name, file.parent), MOST_NODES) for name in sorted(names)},
    }


def _step(lesson: Lesson, step: LessonStep, folder: Path) -> StepView:
    return {"title": step.title, "pieces": [_piece(lesson, step, piece, folder) for piece in step.pieces]}


def _piece(lesson: Lesson, step: LessonStep, piece: Prose | Placed, folder: Path) -> Any:
    if not isinstance(piece, Placed):
        return piece
    try:
        return piece.widget.view(piece.fields, partial(recorded_run, beside=folder))
    except ReSpecError as error:
        where = f"the step ‘{step.title}’ of the lesson {lesson.name}, block {piece.widget.name}"
        raise ReSpecError(f"In {where}: {error}") from error

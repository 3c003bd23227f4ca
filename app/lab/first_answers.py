"""The Lab's first answers, kept with the shipped atlas, so that a server gives them before torch is loaded.

What the page opens with, and the verdict wherever its slider may stand: the hand waits for no replay.
``python -m app.lab.first_answers`` computes them anew from the atlas, whose digest they carry: of another atlas they are void.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from app.json_text import json_text
from app.lab.answers import answer
from app.lab.asked import Question, knob_of, parse_question, tried
from app.lab.sets import FOLDER, SHIPPED, Sets
from app.lab.warm import FIRST
from respec_core.boundary.output import write_text
from respec_core.errors import ReSpecError
from respec_core.lab.manifest import MANIFEST
from respec_core.methods.opening import ModelChoice
from respec_core.methods.registry import find_method

FILE = "first_answers.json"
KEY = 16  # digits of a question's digest


class FirstAnswers:
    """Those of the atlas in ``folder``."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder

    def to(self, asked: Any) -> str | None:
        """The kept answer in JSON text; None where there is none."""
        try:
            found = self._kept.get(key_of(parse_question(asked)))
        except ReSpecError:
            return None
        return None if found is None else json_text(found)

    @cached_property
    def _kept(self) -> Mapping[str, Any]:
        path = self.folder / FILE
        if not path.exists():
            return {}
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if kept["atlas"] != digest(self.folder):
            return {}
        return {key: kept["told"][at] for key, at in kept["answers"].items()}


def digest(folder: Path) -> str:
    """Of an atlas: its manifest holds those of its files."""
    return sha256((folder / MANIFEST).read_bytes()).hexdigest()


def key_of(question: Question) -> str:
    """What an answer hangs on, defaults left out or not.

    Raises:
        ReSpecError: for settings that are not possible.
    """
    settings = question.settings if question.what == "curve" else question.pinned
    config = find_method(question.method).configure(settings).model_dump_json()
    where = {"curve": question.knob, "picture": question.text}.get(question.what, "")
    asked = f"{question.what} {question.set or SHIPPED} {where} {config}"
    return sha256(asked.encode()).hexdigest()[:KEY]


def first_answers(sets: Sets) -> dict[str, Any]:
    """All of them computed, by their keys."""
    text, values = sets.find(SHIPPED).texts[0].entry.id, tried(knob_of(FIRST["method"], FIRST["knob"]))
    opens = [{"what": what, **FIRST, "text": text} for what in ("set", "look", "curve", "picture", "regret")]
    moved = [{"what": "look", **FIRST, "value": value} for value in values]
    found: dict[str, Any] = {}
    for question in (*opens, *moved):
        asked, left = json.dumps(question), 1
        while left:
            told = json.loads(answer(asked, sets, ModelChoice("")))
            left = told.get("left", 0)
        found[key_of(parse_question(asked))] = told
    return found


def kept_form(answers: Mapping[str, Any]) -> str:
    """As JSON: each answer once, a line each."""
    lines = {key: json.dumps(told, ensure_ascii=False, sort_keys=True) for key, told in answers.items()}
    places = {line: at for at, line in enumerate(dict.fromkeys(lines.values()))}
    keys = json.dumps({key: places[line] for key, line in lines.items()})
    told = ",\n".join(places)
    return f'{{"atlas": "{digest(FOLDER)}",\n"answers": {keys},\n"told": [\n{told}\n]}}\n'


def main() -> None:
    """Compute and write."""
    write_text(FOLDER / FILE, kept_form(first_answers(Sets())))


if __name__ == "__main__":
    main()

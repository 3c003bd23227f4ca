"""The Lab's first answers, kept with the shipped atlas, so that a server gives them before torch is loaded.

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
from app.lab.asked import Question, parse_question
from app.lab.sets import FOLDER, SHIPPED, Sets
from app.lab.warm import FIRST
from respec_core.boundary.output import write_text
from respec_core.errors import ReSpecError
from respec_core.lab.manifest import MANIFEST
from respec_core.methods.opening import ModelChoice
from respec_core.methods.registry import find_method

FILE = "first_answers.json"


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
        return kept["answers"] if kept["atlas"] == digest(self.folder) else {}


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
    knob = question.knob if question.what == "curve" else ""
    return f"{question.what} {question.set or SHIPPED} {knob} {config}"


def first_answers(sets: Sets) -> dict[str, Any]:
    """What the page opens with, computed."""
    found: dict[str, Any] = {}
    for what in ("set", "look", "curve"):
        asked, left = json.dumps({"what": what, **FIRST}), 1
        while left:
            told = json.loads(answer(asked, sets, ModelChoice("")))
            left = told.get("left", 0)
        found[key_of(parse_question(asked))] = told
    return found


def main() -> None:
    """Compute and write."""
    kept = {"atlas": digest(FOLDER), "answers": first_answers(Sets())}
    write_text(FOLDER / FILE, json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()

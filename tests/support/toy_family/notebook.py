"""Successors noted before the run, in a file of ``[token, successor]`` pairs: what the toy loads beside a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from respec_core.boundary.untrusted_json import parse_json
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice
from respec_core.methods.resources import Models
from respec_core.models.checkpoints import Progress
from respec_core.models.language_model import LanguageModel


@dataclass(frozen=True)
class Notebook:
    """One successor of every token in it."""

    successor: Mapping[int, int]

    def describe(self) -> dict[str, Any]:
        return {"noted": len(self.successor)}


def open_notebook(choice: ModelChoice, models: Models, progress: Progress) -> Notebook | None:
    """The notebook that is asked for."""
    name = choice.beside.get("notebook")
    if not name:
        return None
    progress(f"reading {name} for {models.target.name}")
    return Notebook(dict(parse_json(Path(name).read_text(), name)))


def fit(target: LanguageModel, notebook: Notebook) -> None:
    """Its ids are the target's."""
    largest = max([0, *notebook.successor, *notebook.successor.values()])
    if largest >= target.vocab_size:
        raise ReSpecError(f"The notebook has token {largest}; {target.name} has {target.vocab_size}.")

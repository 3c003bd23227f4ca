"""The Lab's answers, by what is asked."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from app.form import page_knobs
from app.json_text import json_text
from app.lab.asked import Question, config_of, parse_question, tried
from app.lab.curve import curve_answer
from app.lab.export import export_answer
from app.lab.look import look_answer
from app.lab.lost import regret_answer
from app.lab.opening import round_answer
from app.lab.pair import pair_answer
from app.lab.picture import picture_answer
from app.lab.sets import Sets, TextSet
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice
from respec_core.methods.registry import METHODS, find_method
from respec_core.settings.run_config import DraftingSettings

if TYPE_CHECKING:
    from respec_core.lab.manifest import AtlasManifest

log = logging.getLogger(__name__)


class Refused(TypedDict):
    """Why there is no answer, in one sentence; ``real`` is whether a real run could tell."""

    error: str
    real: bool


class ListedText(TypedDict):
    """A text of the set."""

    id: str
    kind: str
    tokens: int


class SetAnswer(TypedDict):
    """What a set holds, which methods cannot be replayed on it and why, and the method's knobs that can be tried.

    ``first`` is the knob to begin with, empty where there is none; ``exact`` how exact replays are.
    """

    name: str
    about: str
    texts: list[ListedText]
    missing: dict[str, str]
    knobs: list[str]
    first: str
    exact: str


def set_answer(asked: Question, among: TextSet) -> SetAnswer:
    """For the form."""
    manifest = among.atlas.manifest
    positions = sum(entry.tokens for entry in manifest.texts)
    target = manifest.target
    about = (
        f"{among.title}: {len(manifest.texts)} texts, {positions} positions, written by {target['name']} "
        f"({target['dtype']}, {manifest.machine.get('device', 'unknown machine')})"
    )
    knobs = tried_of(asked.method)
    return {
        "name": among.name,
        "about": about,
        "texts": [{"id": text.entry.id, "kind": text.entry.kind, "tokens": text.entry.tokens} for text in among.texts],
        "missing": missing(among),
        "knobs": knobs,
        "first": first_of(asked, knobs),
        "exact": exactness(manifest),
    }


EXACT = frozenset({"fp32", "int8"})  # of a target: its logits are the same in blocks of any size


def exactness(manifest: AtlasManifest) -> str:
    """What a replay's tokens per pass are held to, by the precision of what was recorded."""
    usual = {"target": EXACT}
    rough = [
        f"the {name} ({told['dtype']})"
        for name, told in manifest.models.items()
        if told.get("dtype", "fp32") not in usual.get(name, {"fp32"})
    ]
    apart = f" but where {' or '.join(rough)} decides a near tie otherwise in a run" if rough else ""
    return f"replayed on recorded texts: tokens per pass are exact{apart}; times are predicted, never measured"


def tried_of(method: str) -> list[str]:
    """Knobs that move something: the method's own, then the draft size."""
    controls = page_knobs(method)
    own = find_method(method).settings.model_fields
    there = [*own, *(name for name in DraftingSettings.model_fields if name not in own)]
    return [name for name in there if name in controls and tried(controls[name])]


def first_of(asked: Question, knobs: list[str]) -> str:
    """The entropy threshold where it acts, else the method's own size, else its first number."""
    if asked.settings.get("switch") == "gate" and THETA in knobs:
        return THETA
    controls = page_knobs(asked.method)
    own = find_method(asked.method).settings.model_fields
    numbers = [name for name in knobs if name in own and controls[name]["kind"] in ("int", "float")]
    return next((name for name in numbers if controls[name]["unit"] == "nodes"), next(iter(numbers), ""))


THETA = "theta_entropy"


def missing(among: TextSet) -> dict[str, str]:
    """Methods that cannot be replayed at their defaults, each with the reason."""
    from respec_core.lab.playing import refusal

    stage = among.texts[0].stage
    found = {method.name: refusal(method.configure(), stage) for method in METHODS}
    return {name: why for name, why in found.items() if why}


ANSWERS: Mapping[str, Callable[[Question, TextSet], Any]] = {
    "set": set_answer,
    "curve": curve_answer,
    "look": look_answer,
    "pair": pair_answer,
    "picture": picture_answer,
    "regret": regret_answer,
    "round": round_answer,
}


QUICK = frozenset({"set", "look"})  # what a hand waits for


def decodable(asked: Question, sets: Sets) -> bool:
    """Whether the set is there and the settings are possible, replayed or not."""
    try:
        config_of(sets.find(asked.set).atlas, asked.method, asked.pinned, replayed=False)
    except ReSpecError:
        return False
    return True


def answer(asked: Any, sets: Sets, choice: ModelChoice) -> str:
    """The answer to a question in JSON text, or one sentence under ``error``.

    Args:
        choice: the models of this page, which lines for elsewhere name.
    """
    question: Question | None = None
    found: Any
    try:
        question = parse_question(asked)
        if question.what == "export":
            found = export_answer(question, choice)
        else:
            among = sets.find(question.set)
            with among.turns.first() if question.what in QUICK else among.turns:
                found = ANSWERS[question.what](question, among)
    except ReSpecError as error:
        found = Refused(error=str(error), real=question is not None and decodable(question, sets))
    except Exception:
        log.exception("the Lab could not answer")
        found = Refused(error="The Lab could not answer this; the server's log says why.", real=False)
    return json_text(found)

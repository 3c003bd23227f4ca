"""What methods add to a round stands in JSON as it always did: flat, under its name, refused where nobody declares it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_trace import small

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.record import ADL, Lattice
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import parse_trace, violations
from respec_core.methods.vanilla.settings import VanillaSettings
from respec_core.trace.checks.reading import Reading
from respec_core.trace.extensions import Extensions
from respec_core.trace.files import run_from
from respec_core.trace.invariants import broken_rules
from respec_core.trace.record import MethodRecord

TRACES = sorted((Path(__file__).parents[2] / "assets" / "traces").glob("*.json"))


class Note(MethodRecord):
    """A record of a method that is not ours."""

    words: int


def _few_words(reading: Reading) -> Iterator[str]:
    for round in reading.rounds:
        note = round.step.record(Note)
        if note is not None and note.words > 1:
            yield f"{round.where}: {note.words} words"


NOTES = Extensions({"vanilla": VanillaSettings}, {"note": Note}, {"note": _few_words})


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_a_recorded_trace_is_sound_and_dumps_to_the_json_it_came_from(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    run = parse_trace(text)
    now, then = json.loads(run.to_json()), json.loads(text)
    assert now["config"] == then["config"]
    assert [list(step) for step in now["steps"]] == [list(step) for step in then["steps"]]
    assert [_given(step) for step in now["steps"]] == [_given(step) for step in then["steps"]]
    assert violations(run) == []


def _given(value: Any) -> Any:
    """Without empty fields: a newer program writes more of them."""
    if isinstance(value, dict):
        return {name: _given(item) for name, item in value.items() if item is not None}
    return [_given(item) for item in value] if isinstance(value, list) else value


def test_records_are_flat_in_json_and_typed_in_memory() -> None:
    run = parse_trace(small())
    step = run.steps[0]
    lattice, length = step.record(Lattice), step.record(ADL)
    assert lattice is not None and lattice.k == 1 and length is not None and step.record(Note) is None
    dumped = json.loads(run.to_json())["steps"][0]
    assert "records" not in dumped and dumped["lattice"]["k"] == 1
    assert list(dumped)[-3:] == ["lattice", "adl", "commit"]
    assert parse_trace(run.to_json()) == run


def test_a_round_without_records_still_says_so() -> None:
    data = small()
    del data["steps"][0]["lattice"], data["steps"][0]["adl"]
    run = parse_trace(data)
    assert run.steps[0].records == {}
    dumped = json.loads(run.to_json())["steps"][0]
    assert dumped["lattice"] is None and dumped["adl"] is None
    assert "lattice" not in run.steps[0].model_dump(exclude_none=True)


@pytest.mark.parametrize(
    ("added", "where"),
    [
        ({"note": {"words": 1}}, "steps.0.note"),
        ({"records": {}}, "steps.0"),
        ({"records": {"lattice": {}}}, "steps.0"),
        ({"lattice": {"k": 1}}, "steps.0.lattice.positions"),
        ({"adl": 3}, "steps.0.adl"),
    ],
)
def test_what_nobody_declares_or_is_not_of_its_kind_is_refused(added: dict[str, Any], where: str) -> None:
    data = small()
    data["steps"][0] |= added
    with pytest.raises(ReSpecError, match=f"malformed at {where}: "):
        parse_trace(data)


def test_a_record_of_another_family_is_read_kept_and_checked_with_its_declaration(tiny_models: Models) -> None:
    config = find_method("vanilla").configure({"max_new_tokens": 2})
    data = complete(Request(config, (1, 2, 3)), tiny_models).model_dump(mode="json")
    data["steps"][1]["note"] = {"words": 2}
    run = run_from(data, NOTES)
    note = run.steps[1].record(Note)
    assert note is not None and note.words == 2
    assert run_from(run.to_json(), NOTES) == run
    assert broken_rules(run, NOTES) == ["note: round 1: 2 words"]

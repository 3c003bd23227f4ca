"""One odd value anywhere in a trace: it is refused in a sentence, or checked and shown. Never anything else."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Iterator
from typing import Any

import pytest
from small_trace import small

from app.messages import Packer, trace_from, whole
from app.showcases import SHOWCASES, showcase_run
from respec_core.errors import ReSpecError
from respec_core.methods.traces import parse_trace, violations

ODD = (
    None, True, False, -1, 0, 1, 7, 2**31, 2**60, 10**400, 0.5, -0.5, 1e308, -1e308, 5e-324, math.nan, math.inf,
    -math.inf, "", "text", "1", "\ud800", "\0\u2028<b>", "x" * 70_000, [], [[]], [1, "a"], [None], {}, {"a": {}},
    {"": []}, json.loads("[" * 200 + "]" * 200),
)  # fmt: skip
ROUNDS, CHANGES = 3, 40  # of every recorded trace
Path = tuple[str | int, ...]


def paths(data: Any, path: Path = ()) -> Iterator[Path]:
    """Every place in ``data``, containers included."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from paths(value, (*path, key))


def changed(data: Any, path: Path, value: Any) -> Any:
    """``data`` with another value at ``path``."""
    if not path:
        return value
    again = copy.copy(data)
    again[path[0]] = changed(data[path[0]], path[1:], value)
    return again


def with_every_field() -> dict[str, Any]:
    """The small trace with all optional fields, those that say nothing as null."""
    return parse_trace(small()).model_dump(mode="json")


def ends_well(data: Any) -> str:
    """How it ended: ``refused``, ``unsound`` or ``sound``. Anything else is raised."""
    try:
        run = parse_trace(data)
    except ReSpecError as error:
        said = str(error)
        assert said.endswith(".") and "\n" not in said and len(said) < 300 and said.isprintable(), said
        return "refused"
    problems = violations(run)
    assert all(isinstance(problem, str) and "\n" not in problem for problem in problems)
    sent = json.loads(Packer("fuzz").pack([whole(run)]))["messages"][0]
    assert parse_trace(trace_from(sent)) == run
    return "unsound" if problems else "sound"


@pytest.mark.parametrize("part", ["head", "round", "tokens"])
def test_one_odd_value_at_every_place_of_the_schema(part: str) -> None:
    base = with_every_field()
    outcomes = set()
    for path in paths(base):
        where = path[0] if path else ""
        if part != {"steps": "round", "tokens": "tokens"}.get(str(where), "head"):
            continue
        outcomes |= {ends_well(changed(base, path, value)) for value in ODD}
    assert outcomes >= {"refused", "unsound"}


@pytest.mark.parametrize("path", [("config",), ("models",), ("config", "params"), ("models", "target")])
def test_odd_values_under_every_setting_and_unknown_names(path: Path) -> None:
    base = with_every_field()
    for name in (
        "temperature",
        "rho",
        "delta",
        "length_normalised",
        "sampling_rule",
        "rule",
        "dtype",
        "verify",
        "foreign",
    ):
        place: Any = base
        for key in path:
            place = place[key]
        for value in ODD:
            ends_well(changed(base, path, place | {name: value}))


@pytest.mark.parametrize("showcase", SHOWCASES, ids=lambda showcase: showcase.name)
def test_odd_values_in_recorded_traces(showcase: Any) -> None:
    run = showcase_run(showcase.name)
    assert run is not None
    steps = run.steps[:ROUNDS]
    tokens = run.tokens[: sum(len(step.commit.emitted_ids) for step in steps)]
    base = run.model_copy(update={"steps": steps, "tokens": tokens}).model_dump(mode="json")
    chance = random.Random(showcase.name)
    places = list(paths(base["steps"]))
    for path in chance.sample(places, CHANGES):
        ends_well(changed(base, ("steps", *path), chance.choice(ODD)))

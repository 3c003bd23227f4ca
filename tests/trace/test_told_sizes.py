"""What a round says of its draft's size hangs together with its settings, its trees and the rounds before."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from respec_core.engine.decoding import Request
from respec_core.methods.registry import find_method
from respec_core.methods.running import complete
from respec_core.methods.traces import parse_trace, violations
from respec_core.trace.schema import run_digest

PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 4)


def told(method: str, models: Any, **values: Any) -> dict[str, Any]:
    config = find_method(method).configure({"max_new_tokens": 24, "budget": "auto"} | values)
    run = complete(Request(config, PROMPT), models)
    assert violations(run) == []
    return dict(json.loads(run.to_json()))


def too_many(decision: dict[str, Any]) -> None:
    decision["sizing"]["proposed"] = 1_000_000


def invented(decision: dict[str, Any]) -> None:
    decision["sizing"]["trust"]["static"] = 0.5


def of_another(decision: dict[str, Any]) -> None:
    decision["chosen"] = "schema"


@pytest.mark.parametrize("method", ["eagle2", "diffuspec", "respec-strict", "recycling"])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (too_many, "by its settings a draft has at most"),
        (invented, "trust in static is 0.5"),
        (of_another, "a schema was chosen, which toolspec alone has"),
    ],
)
def test_a_size_that_cannot_be_is_found(
    method: str, change: Callable[[dict[str, Any]], None], said: str, tiny_models: Any
) -> None:
    for at in (0, -1):
        trace = told(method, tiny_models)
        change(trace["steps"][at]["decision"])
        assert any(said in fault for fault in violations(parse_trace(trace)))


def test_nothing_was_chosen_where_nothing_was_proposed(tiny_models: Any) -> None:
    trace = told("eagle2", tiny_models)
    drafted = next(step for step in trace["steps"] if step["decision"]["sizing"]["proposed"])
    drafted["decision"]["chosen"] = "none"
    assert any("although nothing was chosen" in fault for fault in violations(parse_trace(trace)))
    resting = told("pld", tiny_models)
    plain = next(step for step in resting["steps"] if step["decision"]["chosen"] == "none")
    plain["decision"]["chosen"] = "model"
    assert any("model was chosen, but proposed nothing" in fault for fault in violations(parse_trace(resting)))


def test_settings_that_a_draft_outgrows_are_found(tiny_models: Any) -> None:
    trace = told("recycling", tiny_models, budget="own")
    assert max(len(step["trees"]["final"]) for step in trace["steps"]) > 2
    trace["config"]["params"]["tree_nodes"] = 1
    trace["run_id"] = run_digest(trace["config"], trace["models"], trace["prompt_ids"])
    assert any("by its settings" in fault for fault in violations(parse_trace(trace)))

"""A verified tree is what was kept of its parts: nothing else, nothing less, and no part was judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from app.showcases import showcase_run
from respec_core.methods.traces import parse_trace, violations

Trees = dict[str, list[dict[str, Any]]]


def prune_a_verified_node(trees: Trees) -> None:
    node = next(node for node in reversed(trees["drafter"]) if node["kept"])
    node.update(kept=False, pruned_by="rerank")


def judge_a_part(trees: Trees) -> None:
    trees["retrieval"][1]["target_p"] = 0.5


def change_a_confidence(trees: Trees) -> None:
    next(node for node in trees["drafter"][1:] if node["kept"])["draft_p"] *= 0.9


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (prune_a_verified_node, "is in no part"),
        (judge_a_part, "a node of a part was judged"),
        (change_a_confidence, "is not what the parts say"),
    ],
)
def test_a_tree_that_its_parts_do_not_give_is_noticed(change: Callable[[Trees], None], says: str) -> None:
    run = showcase_run("summary-rasd")
    assert run is not None and violations(run) == []
    trace = json.loads(run.to_json())
    change(next(step["trees"] for step in trace["steps"] if len(step["trees"]["retrieval"] or ()) > 1))
    assert any(problem.startswith("fusion: ") and says in problem for problem in violations(parse_trace(trace)))

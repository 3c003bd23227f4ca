"""A trace of any size that is let in makes a message of moderate size: panels draw the telling part and count the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_trace import small

from app.live import opened
from app.messages import Packer, whole
from app.panels.fusion import fusion_view
from app.panels.retrieval import MAX_ROWS, retrieval_view
from app.panels.room import LEAST, MOST, room_for
from app.panels.tree import EXTRA, MAX_DRAWN, step_tree
from app.panels.tree_choice import telling
from respec_core.methods.traces import parse_trace
from respec_core.trace.round import Node, Step


def changed_step(**parts: Any) -> Step:
    """The small trace's round with other parts, through the gate."""
    data = small()
    data["steps"][0] |= parts
    return parse_trace(data).steps[0]


def broad(n: int) -> list[dict[str, Any]]:
    """A root with ``n`` children, the last of them accepted."""
    root = {"id": 0, "parent": -1, "depth": 0, "token": 1, "text": "a"}
    kids = [root | {"id": i, "parent": 0, "depth": 1, "outcome": "rejected"} for i in range(1, n + 1)]
    kids[-1]["outcome"] = "strict_accept"
    return [root, *kids]


def test_a_long_run_leaves_each_round_its_share() -> None:
    assert room_for(0) == room_for(1) == MOST
    assert room_for(400) == MOST // 400
    assert room_for(10**6) == LEAST


@st.composite
def trees(draw: Any) -> list[Node]:
    parents = [-1, *(draw(st.integers(0, i)) for i in range(draw(st.integers(0, 40))))]
    depth: list[int] = []
    for parent in parents:
        depth.append(depth[parent] + 1 if depth else 0)
    return [Node(id=i, parent=p, depth=depth[i], token=i, text="t") for i, p in enumerate(parents)]


@given(trees(), st.integers(0, 45), st.randoms(use_true_random=False))
def test_a_chosen_node_brings_its_ancestors_and_the_best_fit_first(nodes: list[Node], most: int, chance: Any) -> None:
    ranks = [chance.random() for _ in nodes]
    chosen = telling(nodes, most, lambda node: ranks[node.id])
    ids = [node.id for node in chosen]
    assert ids == sorted(ids) and ids[0] == 0 and len(ids) <= most + 1
    assert all(node.parent in ids for node in chosen[1:])
    if len(nodes) > 1 and nodes[best := min(range(1, len(nodes)), key=ranks.__getitem__)].depth <= most:
        assert best in ids


@pytest.mark.parametrize("room", [LEAST, MAX_DRAWN, MOST])
def test_the_tree_draws_the_accepted_and_counts_the_rest(room: int) -> None:
    commit = small()["steps"][0]["commit"] | {"path_node_ids": [1000]}
    step = changed_step(trees={"final": broad(1000)}, commit=commit)
    view = step_tree(step, "x", room)
    drawn = min(room, MAX_DRAWN)
    assert {0, 1000, EXTRA} <= {mark["id"] for mark in view["marks"]}
    assert len(view["marks"]) == drawn + 1  # the target's own token
    assert view["more"] == 1001 - drawn


def test_fusion_draws_the_best_and_counts_the_rest() -> None:
    nodes = [node | {"kept": node["id"] == 0, "pruned_by": "rerank", "outcome": None} for node in broad(1000)]
    view = fusion_view(changed_step(trees={"final": broad(1), "drafter": broad(1000), "retrieval": nodes}))
    assert view is not None
    for tree in view["trees"]:
        assert len(tree["tree"]["marks"]) <= 31
    assert "best 30 shown" in view["trees"][0]["note"]


def test_retrieval_lists_the_accepted_and_counts_the_rest() -> None:
    hit = small()["steps"][0]["retrieval"][0] | {"why": "w" * 60_000}
    hits = [hit | {"id": i, "accepted": int(i == 199)} for i in range(200)]
    view = retrieval_view(changed_step(retrieval=hits))
    assert view is not None and len(view["rows"]) == MAX_ROWS and view["more"] == 200 - MAX_ROWS
    assert view["rows"][-1]["id"] == view["spans"][0]["hit"] == 199
    assert len(json.dumps(view)) < 40_000


def test_many_nodes_make_a_message_of_moderate_size() -> None:
    data = small()
    step = data["steps"][0] | {"trees": {"final": broad(99)}, "lattice": None, "adl": None}
    step["commit"] |= {"path_node_ids": []}
    rounds = 200
    data["steps"] = [step | {"i": i} for i in range(rounds)]
    data["tokens"] = [token | {"round": i} for i in range(rounds) for token in data["tokens"]]
    text = json.dumps(data)
    sent = Packer("s").pack([whole(parse_trace(text))])
    assert len(sent) < 4 * len(text)


def test_a_name_with_half_a_surrogate_pair_does_not_end_the_stream() -> None:
    packet = opened({"text": json.dumps(small()), "name": "\ud800.json"}, "s")
    assert json.loads(packet.encode())["messages"][0]["title"] == "?.json"

"""RASD's three trees: who supplied what, and why branches were pruned."""

from __future__ import annotations

import json
from typing import Any

from app.panels.fusion import MAX_DRAWN, fusion_total, fusion_view, origins
from respec_core.engine.decoding import Request
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.trace.round import Commit, Decision, Hit, Node, Step, Trees


def node(i: int, parent: int, token: int, text: str, *sources: str, **more: Any) -> Node:
    depth = 0 if parent < 0 else 1  # the panel follows parents
    return Node(id=i, parent=parent, depth=depth, token=token, text=text, sources=sources, **more)


def worked_example(texts: dict[str, str] | None = None) -> Step:
    """Drafter A-B-C and A-D, retrieved A-B-X-Y and Z-W, of which the drafter does not foresee Z."""
    t = {name: name for name in "ABCDXYZW"} | (texts or {})
    drafter = (
        node(0, -1, 0, "r"),
        node(1, 0, 1, t["A"], "model"),
        node(2, 1, 2, t["B"], "model"),
        node(3, 2, 3, t["C"], "model"),
        node(4, 1, 4, t["D"], "model", kept=False, pruned_by="budget"),
    )
    pruned: dict[str, Any] = {"kept": False, "pruned_by": "topk_first", "hit_ids": (1,)}
    retrieval = (
        node(0, -1, 0, "r"),
        node(1, 0, 1, t["A"], "static", hit_ids=(0,)),
        node(2, 1, 2, t["B"], "static", hit_ids=(0,)),
        node(3, 2, 5, t["X"], "static", hit_ids=(0,)),
        node(4, 3, 6, t["Y"], "static", hit_ids=(0,)),
        node(5, 0, 7, t["Z"], "static", **pruned),
        node(6, 5, 8, t["W"], "static", **pruned),
    )
    final = (
        node(0, -1, 0, "r"),
        node(1, 0, 1, t["A"], "model", "static", outcome="strict_accept"),
        node(2, 1, 2, t["B"], "model", "static", outcome="strict_accept"),
        node(3, 2, 3, t["C"], "model", outcome="rejected"),
        node(4, 2, 5, t["X"], "static", outcome="strict_accept"),
        node(5, 4, 6, t["Y"], "static", outcome="rejected"),
    )
    hit: dict[str, Any] = {"corpus": "static", "end_pos": 3, "match_len": 2, "snippet": "", "snippet_ids": ()}
    hits = (
        Hit(id=0, continuation="", cont_ids=(1, 2, 5, 6), **hit),
        Hit(
            id=1,
            continuation="",
            cont_ids=(7, 8),
            status="drafter_pruned",
            why=t.get("why", "first token rank 37 > 10"),
            **hit,
        ),
    )
    commit = Commit(path_node_ids=(1, 2, 4), n_accepted=3, n_strict=3, n_relaxed=0, extra=None, emitted_ids=(1, 2, 5))
    decision = Decision(chosen="fused", rule="always", reason="")
    trees = Trees(final=final, drafter=drafter, retrieval=retrieval)
    return Step(i=0, ctx_len=3, phase_ms={}, decision=decision, retrieval=hits, trees=trees, commit=commit)


def parts(step: Step) -> dict[str, dict[str, Any]]:
    view = fusion_view(step)
    assert view is not None
    return {tree["name"]: tree for tree in view["trees"]}


def told(tree: dict[str, Any], *fields: str) -> list[Any]:
    return [tuple(mark[field] for field in fields) for mark in tree["tree"]["marks"]]


def test_accepted_tokens_are_counted_by_who_supplied_them() -> None:
    step = worked_example()
    assert origins(step) == {"both": 2, "retrieval": 1, "drafter": 0}
    view = fusion_view(step)
    assert view is not None
    assert view["sentence"] == (
        "3 accepted tokens: 2 by both, 1 by retrieval alone, none by the drafter alone. "
        "Ranks of the retrieved first tokens in the drafter's guess: pruned: one it cannot say."
    )


def test_pruned_branches_are_ghosts() -> None:
    tree = parts(worked_example())["retrieval"]
    assert tree["note"] == "6 nodes · 2 pruned"
    looks = ["root", "strict_accept", "strict_accept", "strict_accept", "sent", "pruned", "pruned"]
    assert told(tree, "id", "look") == list(enumerate(looks))


def test_shared_nodes_carry_both_marks_in_every_tree() -> None:
    for name, tree in parts(worked_example()).items():
        assert [text for text, source in told(tree, "text", "source") if source == "both"] == ["A", "B"], name


def test_the_fused_tree_has_the_targets_verdicts() -> None:
    tree = parts(worked_example())["fused"]
    good, bad = "strict_accept", "rejected"
    assert told(tree, "text", "look")[1:] == [("A", good), ("B", good), ("C", bad), ("X", good), ("Y", bad)]
    assert told(tree, "text", "source")[3:5] == [("C", "model"), ("X", "static")]


def test_what_the_drafter_kept_to_itself_is_not_drawn_but_counted() -> None:
    tree = parts(worked_example())["drafter"]
    assert told(tree, "id") == [(0,), (1,), (2,), (3,)]
    assert tree["note"] == "4 nodes · 1 not sent"


def test_rounds_that_fused_nothing_have_no_view() -> None:
    step = worked_example()
    alone = step.model_copy(update={"trees": Trees(final=step.trees.final)})
    assert fusion_view(alone) is None


def test_a_large_tree_keeps_the_accepted_path_and_says_how_much_is_shown() -> None:
    step = worked_example()
    more = [node(i, 0, 100 + i, "n", "model", outcome="rejected") for i in range(6, 90)]
    big = step.model_copy(update={"trees": step.trees.model_copy(update={"final": (*step.trees.final, *more)})})
    tree = parts(big)["fused"]
    drawn = {id for (id,) in told(tree, "id")}
    assert len(drawn) == MAX_DRAWN + 1 and {1, 2, 4} <= drawn
    assert tree["tree"]["more"] == 89 - MAX_DRAWN
    assert tree["note"] == f"89 nodes · best {MAX_DRAWN} shown"


def test_a_real_run_has_a_view_a_round_and_a_total(tiny_models: Models) -> None:
    config = find_method("rasd").configure(
        {"budget": "own", "max_new_tokens": 24, "max_nodes": 20, "tree_depth": 3, "tree_top_k": 4}
    )
    run = complete(Request(config, (5, 6, 7, 8, 9, 10, 5, 6, 7)), tiny_models)
    views = [view for step in run.steps if (view := fusion_view(step))]
    assert views and json.dumps(views, allow_nan=False)
    assert fusion_total(run).startswith("Whole run: ")
    for view in views:
        for tree in view["trees"]:
            assert all(parent < i for i, (parent,) in enumerate(told(tree, "parent")))
            assert tree["tree"]["alt"]

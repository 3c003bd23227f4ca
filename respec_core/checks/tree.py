"""The verified tree is one tree, and its outcomes are those of the accepted path."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace import Run, Step


def tree_problems(run: Run) -> Iterator[str]:
    """Trees that are none, or whose outcomes contradict the path."""
    for step in run.steps:
        yield from (f"round {step.i}: {problem}" for problem in _one_tree(step))


def _one_tree(step: Step) -> Iterator[str]:
    nodes, path = step.trees.final, step.commit.path_node_ids
    if [node.id for node in nodes] != list(range(len(nodes))):
        yield "node ids are not 0, 1, 2 …"
        return
    if not nodes or nodes[0].parent != -1:
        yield "the tree has no root"
        return
    for node in nodes[1:]:
        if not 0 <= node.parent < node.id or node.depth != nodes[node.parent].depth + 1:
            yield f"node {node.id} does not hang below an earlier node"
            return
        if not node.kept:
            yield f"node {node.id} was pruned but verified"
    if step.decision.budget is not None and len(nodes) - 1 > step.decision.budget:
        yield f"{len(nodes) - 1} nodes exceed the budget of {step.decision.budget}"
    parent = 0
    for i in path:
        if i >= len(nodes) or nodes[i].parent != parent:
            yield "accepted nodes are not one path from the root"
            return
        parent = i
    accepted = {0, *path}
    for node in nodes[1:]:
        good = node.outcome in ("strict_accept", "relaxed_accept")
        if good != (node.id in accepted):
            yield f"node {node.id} is {node.outcome} but {'not ' * (node.id not in accepted)}on the accepted path"
        if node.outcome == "rejected" and node.parent not in accepted:
            yield f"node {node.id} is rejected below a node that was not accepted (should be unreached)"
        if node.outcome == "unreached" and node.parent in accepted and step.commit.stopped is None:
            yield f"node {node.id} is unreached although its parent was accepted"

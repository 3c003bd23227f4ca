"""Every tree of a round is one tree; what was accepted is one path of the verified one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from respec_core.trace.round import ACCEPTS, Node, Step
from respec_core.trace.schema import Run


def tree_problems(run: Run) -> Iterator[str]:
    """Trees that are none, and paths that are none."""
    for step in run.steps:
        trees = step.trees
        for name, nodes in (("", trees.final), ("drafter ", trees.drafter), ("retrieval ", trees.retrieval)):
            if nodes is not None:
                yield from (f"round {step.i}: {problem}" for problem in _one_tree(name, nodes))
        yield from (f"round {step.i}: {problem}" for problem in _verified(step))


def _one_tree(name: str, nodes: Sequence[Node]) -> Iterator[str]:
    if [node.id for node in nodes] != list(range(len(nodes))):
        yield f"{name}node ids are not 0, 1, 2 …"
        return
    if not nodes or nodes[0].parent != -1 or nodes[0].depth != 0:
        yield f"the {name}tree has no root"
        return
    for node in nodes:
        if node.id and not (0 <= node.parent < node.id and node.depth == nodes[node.parent].depth + 1):
            yield f"{name}node {node.id} does not hang below an earlier node"
        elif node.kept == (node.pruned_by is not None):
            yield f"node {node.id} of the {name}tree is pruned without a reason, or kept with one"
        elif node.id and _lasted(node) > _lasted(nodes[node.parent]):
            yield f"node {node.id} of the {name}tree outlived the node above it"
    if len({(node.parent, node.token) for node in nodes}) < len(nodes):
        yield f"two siblings of the {name}tree carry the same token"


def _lasted(node: Node) -> int:
    """Dropped by its drafter or a pruning rule, then by the draft's size, or never."""
    return 2 if node.kept else int(node.pruned_by == "budget")


def _verified(step: Step) -> Iterator[str]:
    nodes, path = step.trees.final, step.commit.path_node_ids
    for node in nodes:
        if not node.kept:
            yield f"node {node.id} was pruned but verified"
    if step.decision.budget is not None and len(nodes) - 1 > step.decision.budget:
        yield f"{len(nodes) - 1} nodes exceed the budget of {step.decision.budget}"
    parent = 0
    for i in path:
        if not 0 < i < len(nodes) or nodes[i].parent != parent:
            yield "accepted nodes are not one path from the root"
            return
        parent = i
    for node in nodes[1:]:
        if (node.outcome in ACCEPTS) != (node.id in path):
            yield f"node {node.id} is {node.outcome} but {'not ' * (node.id not in path)}on the accepted path"

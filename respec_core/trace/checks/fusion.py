"""The verified tree is what was kept of the trees it was made from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from respec_core.boundary.limits import MAX_DRAFT
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import Node

TOLERANCE = 1e-9


def fusion_problems(reading: Reading) -> Iterator[str]:
    """Verified trees that are not the union of what was kept."""
    for round in reading.rounds:
        problems = [*_union(round), *_dropped(reading, round)]
        yield from (f"{round.where}: {problem}" for problem in problems)


def _union(round: RoundReading) -> Iterator[str]:
    trees = round.step.trees
    parts = [nodes for nodes in (trees.drafter, trees.retrieval) if nodes is not None]
    for nodes in parts:
        if nodes[0].token != round.nodes[0].token:
            yield "a part has another root"
        if any(node.outcome is not None or node.target_p is not None for node in nodes):
            yield "a node of a part was judged"
    if not parts:
        return
    merged: dict[tuple[int, ...], list[Node]] = {}
    for nodes in parts:
        for node, path in zip(nodes, paths(nodes), strict=True):
            if node.kept and path:
                merged.setdefault(path, []).append(node)
    verified = dict(zip(paths(round.nodes), round.nodes, strict=True))
    for path in verified.keys() - merged.keys() - {()}:
        yield f"node {verified[path].id} is in no part"
    for path, origins in merged.items():
        taken = verified.get(path)
        if taken is None:
            yield f"node {origins[0].id} of a part was kept but not verified"
        elif not _made_of(taken, origins):
            yield f"node {taken.id} is not what the parts say: sources, hits, confidence or score"


def _dropped(reading: Reading, round: RoundReading) -> Iterator[str]:
    """A drafter drops its own least likely nodes; a retrieval tree is pruned by the first token; a budget cuts both."""
    trees, step = round.step.trees, round.step
    cut = step.decision.sizing is not None or reading.traits.one_size or len(round.nodes) > MAX_DRAFT
    for name, nodes, own in (("drafter", trees.drafter, "rerank"), ("retrieval", trees.retrieval, "topk_first")):
        for node in nodes or ():
            if node.pruned_by not in (None, own) and not (node.pruned_by == "budget" and cut):
                yield f"node {node.id} of the {name} tree was pruned by {node.pruned_by}"
    drafted = trees.drafter or ()
    bound = [1.0] * len(drafted)
    for node in drafted[1:]:
        bound[node.id] = min(node.path_score or 0.0, bound[node.parent])
    order = sorted(drafted[1:], key=lambda node: (-bound[node.id], node.depth, node.id))
    reranked = [node.pruned_by == "rerank" for node in order]
    if reranked != sorted(reranked):
        yield "the drafter's tree was not reranked by path score"


def _made_of(node: Node, origins: Sequence[Node]) -> bool:
    sources = sorted({source for origin in origins for source in origin.sources})
    hits = tuple(dict.fromkeys(hit for origin in origins for hit in origin.hit_ids))
    confidence = next((origin.draft_p for origin in origins if origin.draft_p is not None), None)
    scores = [origin.path_score or 0.0 for origin in origins]
    return (list(node.sources), node.hit_ids, node.draft_p) == (sources, hits, confidence) and math.isclose(
        node.path_score or 0.0, max(scores), rel_tol=TOLERANCE
    )


def paths(nodes: Sequence[Node]) -> list[tuple[int, ...]]:
    """The tokens from below the root down to each node."""
    found: list[tuple[int, ...]] = [()]
    for node in nodes[1:]:
        found.append((*found[node.parent], node.token))
    return found

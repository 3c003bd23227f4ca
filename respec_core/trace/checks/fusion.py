"""The verified tree is what was kept of the trees it was made from (RASD, arXiv 2503.03434 §3.2; EAGLE-2's reranking)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from respec_core.engine.sizing import MAX_NODES
from respec_core.trace.checks.reading import Reading, Round
from respec_core.trace.schema import Hit, Node

TOLERANCE = 1e-9


def fusion_problems(reading: Reading) -> Iterator[str]:
    """Verified trees that are not the union of what was kept, and retrieval tries that are not their hits'."""
    for round in reading.rounds:
        problems = [*_union(round), *_dropped(reading, round)]
        if "prune_top_k" in reading.params and round.step.trees.retrieval is not None:
            problems += _trie(round.step.trees.retrieval, round.step.retrieval)
            problems += _pruned(reading, round, round.step.trees.retrieval)
        yield from (f"{round.where}: {problem}" for problem in problems)


def _union(round: Round) -> Iterator[str]:
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


def _dropped(reading: Reading, round: Round) -> Iterator[str]:
    """A drafter drops its own least likely nodes; a retrieval tree is pruned by the first token; a budget cuts both."""
    trees, step = round.step.trees, round.step
    cut = step.decision.sizing is not None or "prune_top_k" in reading.params or len(round.nodes) > MAX_NODES
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


def _trie(trie: Sequence[Node], hits: Sequence[Hit]) -> Iterator[str]:
    """All continuations as one tree; below the first level a score is the share of continuations that go on so."""
    through: dict[tuple[int, ...], list[int]] = {}
    for hit in hits:
        for depth in range(1, len(hit.cont_ids) + 1):
            through.setdefault(hit.cont_ids[:depth], []).append(hit.id)
    found = dict(zip(paths(trie), trie, strict=True))
    if found.keys() - {()} != through.keys() or len(found) < len(trie):
        yield "the retrieval tree is not the tree of the hits' continuations"
        return
    for path, ids in through.items():
        node, parent = found[path], trie[found[path].parent]
        if node.hit_ids != tuple(ids):
            yield f"node {node.id} of the retrieval tree is on other hits' continuations"
        elif node.parent and not math.isclose(
            node.path_score or 0.0, (parent.path_score or 0.0) * len(ids) / len(parent.hit_ids or (0,)), rel_tol=1e-6
        ):
            yield f"node {node.id} of the retrieval tree: its score is not the share of continuations"


def _pruned(reading: Reading, round: Round, trie: Sequence[Node]) -> Iterator[str]:
    """What the drafter's first guess did not foresee is gone with all below it; the rest keeps to its budgets."""
    unforeseen = {node.token for node in trie[1:] if node.parent == 0 and node.pruned_by == "topk_first"}
    for node in trie[1:]:
        if node.parent and (node.pruned_by == "topk_first") != (trie[node.parent].pruned_by == "topk_first"):
            yield f"node {node.id} of the retrieval tree: pruned by the first token, unlike its parent"
    ranks = [hit.first_rank for hit in round.step.retrieval]
    ranked = any(rank is not None for rank in ranks)  # older traces have none
    for hit in round.step.retrieval:
        if (hit.status == "drafter_pruned") != (hit.cont_ids[:1] != () and hit.cont_ids[0] in unforeseen):
            yield f"hit {hit.id} is {hit.status}, unlike its first token in the retrieval tree"
        foreseen = hit.first_rank is not None and 1 <= hit.first_rank <= reading.params["prune_top_k"]
        if ranked and foreseen == (hit.status == "drafter_pruned"):
            yield f"hit {hit.id} is {hit.status} with first token rank {hit.first_rank}"
        if hit.status not in ("kept", "drafter_pruned", "budget_pruned"):
            yield f"hit {hit.id} is {hit.status}, which this method does not do"
    kept = sum(node.kept for node in trie[1:])
    if kept > reading.params["max_retrieval_nodes"]:
        yield f"{kept} retrieved nodes exceed max_retrieval_nodes"
    if len(round.nodes) - 1 > reading.params["max_nodes"]:
        yield f"{len(round.nodes) - 1} nodes exceed max_nodes"
    yield from _first_ranks(round)


def _first_ranks(round: Round) -> Iterator[str]:
    """A first token that the drafter's own tree shows has the rank it has there."""
    drafter = round.step.trees.drafter or ()
    first = {node.token: node.draft_p or 0.0 for node in drafter[1:] if node.parent == 0}
    for hit in round.step.retrieval:
        p = first.get(hit.cont_ids[0]) if hit.cont_ids else None
        if hit.first_rank is None or p is None:
            continue
        above, tied = sum(q > p for q in first.values()), sum(q == p for q in first.values())
        if not above < hit.first_rank <= above + tied:
            yield f"hit {hit.id}: rank {hit.first_rank} of its first token, the drafter's tree says {above + 1}"

"""RASD's retrieval trie (arXiv 2503.03434 §3.2): made of the hits, pruned by the drafter's first guess."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from respec_core.methods.rasd.settings import NGRAM, SPAN
from respec_core.trace.checks.fusion import paths
from respec_core.trace.checks.hits import OWN_TEXT
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import Hit, Node


def trie_problems(reading: Reading) -> Iterator[str]:
    """Tries that are not their hits', and prunings that the ranks do not give."""
    if "prune_top_k" not in reading.params:
        return
    for round in reading.rounds:
        found = _retrieved(reading, round.step.retrieval)
        yield from (f"{round.where}: {problem}" for problem in found)
        trie = round.step.trees.retrieval
        if trie is not None:
            problems = (*_trie(trie, round.step.retrieval), *_pruned(reading, round, trie))
            yield from (f"{round.where}: {problem}" for problem in problems)


def _retrieved(reading: Reading, hits: Sequence[Hit]) -> Iterator[str]:
    """Prompt lookup has a few tokens of the run's own text, REST some more of a datastore."""
    own, most = {"pld": (True, NGRAM), "rest": (False, SPAN)}.get(reading.params["retrieval"], (None, None))
    for hit in hits:
        if own is not None and (hit.corpus in OWN_TEXT) != own:
            yield f"hit {hit.id} is from {hit.corpus}, where {reading.params['retrieval']} does not look"
        if most is not None and hit.match_len > most:
            yield f"hit {hit.id} matches {hit.match_len} tokens, {reading.params['retrieval']} looks for {most}"


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


def _pruned(reading: Reading, round: RoundReading, trie: Sequence[Node]) -> Iterator[str]:
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


def _first_ranks(round: RoundReading) -> Iterator[str]:
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

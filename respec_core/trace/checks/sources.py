"""Labels of the drafted nodes: who may have drafted them, how sure the drafter was, and how they were ranked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import DIFFUSION_SOURCE, RETRIEVED_SOURCES, Hit, Node

KNOWN = RETRIEVED_SOURCES | {"model", "recycle", "schema", "logits", DIFFUSION_SOURCE}
GIVES_P = frozenset({"model", DIFFUSION_SOURCE})  # drafters that say how sure they are
MAY_DRAFT = {  # by what the round chose
    "model": frozenset({"model", "recycle", "logits"}),
    "diffusion": frozenset({DIFFUSION_SOURCE}),
    "retrieval": RETRIEVED_SOURCES,
    "schema": frozenset({"schema"}),
    "fused": KNOWN,
}
CORPUS_SOURCE = {
    "prompt": "dynamic",
    "generated": "dynamic",
    "static": "static",
    "datastore": "datastore",
    "tool_memory": "static",
}
TOLERANCE = 1e-5


def source_problems(reading: Reading) -> Iterator[str]:
    """Nodes from where nobody drafted, with a confidence nobody gave, or deeper than there was room."""
    for round in reading.rounds:
        hits = {hit.id: hit for hit in round.step.retrieval}
        trees = (("", round.nodes), ("drafter ", round.step.trees.drafter), ("retrieval ", round.step.trees.retrieval))
        for name, nodes in trees:
            for problem in (*_labels(round, name, nodes or (), hits), *_ranking(nodes or ())):
                yield f"{round.where}: {name}{problem}"
        yield from (f"{round.where}: {problem}" for problem in _parts(round))
        deepest, room = max(node.depth for node in round.nodes), reading.room(round.step)
        if deepest > max(room, 0):
            yield f"{round.where}: a draft of {deepest} levels where {max(room, 0)} can be committed"


def _parts(round: RoundReading) -> Iterator[str]:
    """Only what was fused has two parts."""
    chosen, trees = round.step.decision.chosen, round.step.trees
    if chosen != "none" and chosen not in MAY_DRAFT:
        yield f"{chosen} was chosen, which no method does"
    if chosen == "fused" and (trees.drafter is None or trees.retrieval is None):
        yield "fused was chosen, but not of two trees"
    if chosen == "retrieval" and (trees.drafter is not None or trees.retrieval is not None):
        yield "retrieval was chosen, but the tree was made of parts"


def _labels(round: RoundReading, tree: str, nodes: tuple[Node, ...], hits: Mapping[int, Hit]) -> Iterator[str]:
    allowed = MAY_DRAFT.get(round.step.decision.chosen, frozenset())
    for node in nodes[1:]:
        sources = set(node.sources)
        if not sources or list(node.sources) != sorted(sources):
            yield f"node {node.id} has no source, or names one twice"
        if not sources <= (allowed if not tree else KNOWN):
            yield f"node {node.id} is from {'+'.join(node.sources)}, but the round chose {round.step.decision.chosen}"
        if (node.draft_p is not None) != bool(sources & GIVES_P):
            yield f"node {node.id} from {'+'.join(node.sources)} has {'a' if node.draft_p else 'no'} confidence"
        if node.draft_p is not None and not 0 <= node.draft_p <= 1 + TOLERANCE:
            yield f"node {node.id} has a confidence of {node.draft_p:.4g}"
        expected = {
            CORPUS_SOURCE[hits[i].corpus] for i in node.hit_ids if i in hits and hits[i].corpus in CORPUS_SOURCE
        }
        copied = sources & RETRIEVED_SOURCES
        if copied != expected and (copied != {"datastore"} or expected):  # of a datastore not every hit is shown
            yield f"node {node.id} is from {'+'.join(node.sources)}, its hits say {'+'.join(sorted(expected)) or 'none'}"


def _ranking(nodes: tuple[Node, ...]) -> Iterator[str]:
    """Path scores never rise from parent to child; a model's are products of its confidences."""
    for node in nodes[1:]:
        score, above = node.path_score, nodes[node.parent].path_score
        if score is None or above is None:
            yield f"node {node.id} has no path score"
        elif not 0 <= score <= above * (1 + TOLERANCE) + TOLERANCE:
            yield f"node {node.id} has path score {score:.4g} below one of {above:.4g}"
        elif set(node.sources) == {"model"} and set(nodes[node.parent].sources) <= {"model"}:
            product = above * (node.draft_p or 0.0)
            if not math.isclose(score, product, rel_tol=1e-4, abs_tol=1e-12):
                yield f"node {node.id} has path score {score:.4g}, its confidences multiply to {product:.4g}"

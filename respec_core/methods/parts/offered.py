"""The tree of copies that every round of a trace had to offer, by its hits and what the rounds before say of such copies."""

from __future__ import annotations

import math
from collections.abc import Iterator

from respec_core.engine.records import Records
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts import branches, lineage
from respec_core.methods.parts.lineage import Offer, offer_of
from respec_core.methods.parts.weighing import tree_of
from respec_core.trace.checks.decision import RETRIEVES
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import Hit

TOLERANCE = 1e-9


def scored_by_lineage(reading: Reading) -> bool:
    """Which rule it was; traces from before there were lineages do not name one."""
    return reading.config.params.get("scored_by") == "lineage"


def offered_trees(reading: Reading) -> Iterator[DraftTree]:
    """One tree a round, whether it was verified or not."""
    by_lineage, records = scored_by_lineage(reading), Records()
    for round in reading.rounds:
        root = round.nodes[0].token
        kept = [hit for hit in round.step.retrieval if hit.status == "kept" and hit.corpus in lineage.CORPORA]
        chosen = [(hit.id, offer_of(hit), _branch(reading, round, hit)) for hit in kept]
        if by_lineage:
            yield lineage.copied_tree(root, chosen, records)
            if reading.params["feedback"]:
                lineage.judge(records, [(offer, branch) for _, offer, branch in chosen], round.step.commit.emitted_ids)
        else:
            yield DraftTree.root(root).merge(*(_by_match(root, *one) for one in chosen))


def _by_match(root: int, hit: int, offer: Offer, branch: tuple[int, ...]) -> DraftTree:
    p = branches.match_chance(offer.match)
    return branches.copied_chain(root, branch, offer.source, [p ** (d + 1) for d in range(len(branch))], hit)


def _branch(reading: Reading, round: RoundReading, hit: Hit) -> tuple[int, ...]:
    p, room = reading.params, max(reading.room(round.step), 0)
    score = hit.score_before or 0.0
    if scored_by_lineage(reading):
        length = lineage.branch_length(score, hit.match_len, min(p["max_draft"], room))
    else:
        length = min(branches.branch_length(score, p["max_draft"]), room)
    return hit.cont_ids[:length]


def copies_problems(reading: Reading, round: RoundReading, offered: DraftTree) -> Iterator[str]:
    """Copies that are shown are those that were offered, as likely as their matches or the run's record say; no more
    nodes were verified than the settings allow."""
    most, scores = reading.config.params.get("all_nodes"), [node.path_score or 0.0 for node in round.nodes[1:]]
    if most is not None and reading.config.drafting.budget_rule != "auto" and round.step.decision.chosen in RETRIEVES:
        safe = sum(score > reading.params["sure"] for score in scores)
        if len(scores) > max(most - 1, safe):
            yield f"{len(scores)} nodes were verified, {max(most - 1, safe)} may be"
    shown = round.step.trees.retrieval or (round.nodes if round.step.decision.chosen == "retrieval" else ())
    places = offered.places_of(tree_of(shown)) if shown else []
    for node, at in zip(shown[1:], places[1:], strict=True):
        if at is None or not math.isclose(node.path_score or 0.0, offered.scores[at], rel_tol=TOLERANCE):
            yield f"node {node.id} is a copy that was not offered, or has another path score than matches or record give"
    if round.step.trees.retrieval is not None and len(shown) != len(offered):
        yield f"{len(shown) - 1} copied nodes are shown, the branches have {len(offered) - 1}"

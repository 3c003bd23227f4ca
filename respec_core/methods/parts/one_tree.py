"""Copies and a model's draft in one tree (ours); what both propose is verified once."""

from __future__ import annotations

from dataclasses import replace

from respec_core.boundary.limits import MAX_DRAFT
from respec_core.engine.drafting import Draft, Part
from respec_core.engine.tree import DraftTree


def side_by_side(copied: Draft, drafted: Draft, nodes: int, sure: float) -> Draft:
    """The nodes that are likeliest to be accepted, whoever proposed them: the best of both below one root."""
    if not drafted.size:
        return replace(copied, tree=likeliest(copied.tree, nodes, sure))
    return replace(
        drafted,
        tree=likeliest(drafted.tree.merge(copied.tree), nodes, sure),
        hits=copied.hits,
        distributions={},  # these hold for a lone path
        parts={"drafter": Part(drafted.tree), "retrieval": Part(copied.tree)},
        reason=f"{copied.reason}; beside {drafted.reason}",
    )


def likeliest(tree: DraftTree, nodes: int, sure: float) -> DraftTree:
    """The best ``nodes`` below the root, and beyond them all whose path score is above ``sure``."""
    safe = sum(score > sure for score in tree.scores[1:])  # scores never rise downwards
    return tree.prune(min(max(nodes, safe), MAX_DRAFT))

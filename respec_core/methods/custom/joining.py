"""Copies and a model's draft in one tree, with or without what the model does not foresee."""

from __future__ import annotations

from dataclasses import replace

from respec_core.engine.drafting import Draft, Part
from respec_core.engine.first_step import FirstStep
from respec_core.methods.parts.foreseen import judged, unforeseen
from respec_core.methods.parts.one_tree import side_by_side
from respec_core.trace.round import Hit


def joined(copied: Draft, drafted: Draft, nodes: int, top_k: int | None) -> Draft:
    """The likeliest ``nodes`` of both below one root.

    Args:
        top_k: copies stay only if their first token is among so many of the model's best; None keeps all.
    """
    if top_k is None:
        return side_by_side(copied, drafted, nodes, 1.0)
    first = drafted.first
    if first is None:
        return replace(
            drafted,
            tree=drafted.tree.prune(nodes),
            distributions={},
            reason=f"{drafted.reason}; which foresees no copy",
        )
    pruned = unforeseen(copied.tree, first, top_k)
    kept = copied.tree.keep(set(range(len(copied.tree))).difference(pruned))
    hits = tuple(_judged(hit, first, top_k) for hit in copied.hits)
    draft = side_by_side(replace(copied, tree=kept, hits=hits), drafted, nodes, 1.0)
    return replace(draft, parts={**draft.parts, "retrieval": Part(copied.tree, pruned)})


def _judged(hit: Hit, first: FirstStep, top_k: int) -> Hit:
    rank = first.rank(hit.cont_ids[0])
    status, why = judged(rank, top_k, hit.match_len)
    return hit.model_copy(update={"status": status, "why": why, "first_rank": rank})

"""Copies that the model drafter's first guess foresees (RASD, arXiv 2503.03434 §3.2); the others are pruned."""

from __future__ import annotations

from respec_core.engine.first_step import FirstStep
from respec_core.engine.tree import DraftTree
from respec_core.trace.round import HitStatus, PrunedBy


def foreseen(rank: int | None, top_k: int) -> bool:
    """Whether a first token of this rank is among the drafter's best ``top_k``; None for one that it cannot say."""
    return rank is not None and rank <= top_k


def unforeseen(copies: DraftTree, first: FirstStep, top_k: int) -> dict[int, PrunedBy]:
    """Nodes of ``copies`` on branches whose first token the drafter's guess does not have among its best ``top_k``."""
    pruned: dict[int, PrunedBy] = {}
    for node in range(1, len(copies)):
        parent = copies.parents[node]
        if parent in pruned or (parent == 0 and not foreseen(first.rank(copies.tokens[node]), top_k)):
            pruned[node] = "topk_first"
    return pruned


def judged(rank: int | None, top_k: int, match: int) -> tuple[HitStatus, str]:
    """What becomes of a continuation by its first token's rank, and why."""
    if rank is None:
        return "drafter_pruned", "first token outside the drafter's vocabulary"
    if not foreseen(rank, top_k):
        return "drafter_pruned", f"first token rank {rank} > {top_k}"
    return "kept", f"match of {match} tokens, first token rank {rank}"

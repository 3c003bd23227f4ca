"""Token Recycling (arXiv 2408.08696): remember for every token its last seen best successors.

A matrix ``[vocab, 8]`` is walked breadth-first into a static tree; every verified node rewrites its token's row with
the target's newest top 8. The matrix lives for one run and starts from the prompt's own bigrams (ours; the authors
start from zeros and keep it across requests).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from respec_core.engine.drafting import Context, Draft, Drafter, Round
from respec_core.engine.routing import Always, Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.recycling.settings import LEVELS, RecyclingSettings, scaled
from respec_core.methods.resources import Models
from respec_core.trace.round import Hit

TOP_K = 8
# first guess of how often the successor of each rank is right; shapes the static tree and ranks its nodes
RANK_PRIOR = (0.36, 0.12, 0.07, 0.045, 0.03, 0.025, 0.02, 0.015)


def build(settings: RecyclingSettings, models: Models) -> Router:
    """Ask the matrix every round."""
    return Always(RecyclingDrafter(models.target.vocab_size, scaled(settings.tree_nodes)), "model")


@cache
def template(levels: tuple[int, ...]) -> tuple[tuple[int, int, float], ...]:
    """(parent, rank, prior) of each node below the root of a static tree with so many nodes a level.

    Level sizes are authors'; which parents the children hang on is ours: the likeliest by prior.
    """
    tree: list[tuple[int, int, float]] = [(-1, 0, 1.0)]
    frontier = [0]
    for wanted in levels:
        options = [(-tree[p][2] * RANK_PRIOR[r], p, r) for p in frontier for r in range(TOP_K)]
        frontier = []
        for negative, parent, rank in heapq.nsmallest(wanted, options):
            frontier.append(len(tree))
            tree.append((parent, rank, -negative))
    return tuple(tree[1:])


class RecyclingDrafter(Drafter):
    """``matrix[token]`` holds the best successors of ``token``, best first; −1 where nothing is known yet."""

    def __init__(self, vocab_size: int, levels: tuple[int, ...] = LEVELS) -> None:
        self.matrix = np.full((vocab_size, TOP_K), -1, dtype=np.int32)
        self.levels = levels

    def begin(self, prompt: Sequence[int]) -> None:
        """Start from the prompt's bigrams, the newest successor first."""
        for token, successor in pairwise(prompt):
            row = self.matrix[token]
            kept = [s for s in row.tolist() if s not in (successor, -1)][: TOP_K - 1]
            row[: len(kept) + 1] = [successor, *kept]

    def propose(self, context: Context) -> Draft:
        """The static tree filled from the matrix; branches end where nothing is known."""
        with context.clock.phase("draft"):
            tokens, parents, scores, place = [context.root], [-1], [1.0], {0: 0}
            for i, (parent, rank, prior) in enumerate(template(self.levels), 1):
                at = place.get(parent)
                if at is None:
                    continue
                successor = int(self.matrix[tokens[at], rank])
                if successor < 0:
                    continue
                place[i] = len(tokens)
                tokens.append(successor)
                parents.append(at)
                scores.append(prior)
            tree = DraftTree.grown(tokens, parents, "recycle", scores=scores)
            return Draft(
                tree.limit_depth(max(context.room, 0)), reason=f"{len(tree) - 1} nodes from remembered successors"
            )

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Every verified node's token gets the target's new top 8."""
        best = round.logits.topk(min(TOP_K, round.logits.shape[-1]), dim=-1).indices.cpu().numpy()
        # deeper nodes first, so that the rows nearest the committed text win where a token occurs twice
        order = np.argsort(round.tree.depths, kind="stable")[::-1]
        tokens = np.asarray(round.tree.tokens)[order]
        self.matrix[tokens, : best.shape[1]] = best[order]
        for node in (0, *round.path):  # the accepted path has the last word
            self.matrix[round.tree.tokens[node], : best.shape[1]] = best[node]
        return ()

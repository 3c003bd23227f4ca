"""Token Recycling (arXiv 2408.08696): remember for every token its last seen best successors.

A matrix ``[vocab, 8]`` is walked breadth-first into a static tree; every verified node rewrites its token's row with
the target's newest top 8. The matrix lives for one run and starts from the prompt's own bigrams (ours; the authors
start from zeros and keep it across requests).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import cache

from respec_core.engine.drafting import Context, Draft, Drafter, Round
from respec_core.engine.routing import Always, Router
from respec_core.methods.parts.rank_prior import RANK_PRIOR, TOP_K
from respec_core.methods.parts.successors import Successors
from respec_core.methods.recycling.settings import LEVELS, RecyclingSettings, scaled
from respec_core.methods.resources import Models
from respec_core.trace.round import Hit


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
    """Fills the static tree with remembered successors."""

    def __init__(self, vocab_size: int, levels: tuple[int, ...] = LEVELS) -> None:
        self.successors = Successors(vocab_size)
        self.levels = levels

    def begin(self, prompt: Sequence[int]) -> None:
        """Start from the prompt's bigrams."""
        self.successors.read(prompt)

    def propose(self, context: Context) -> Draft:
        """The static tree filled from the matrix; branches end where nothing is known."""
        with context.clock.phase("draft"):
            tree = self.successors.tree(context.root, template(self.levels), "recycle")
            return Draft(
                tree.limit_depth(max(context.room, 0)), reason=f"{len(tree) - 1} nodes from remembered successors"
            )

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Every verified node's token gets the target's new top 8."""
        self.successors.learn(round)
        return ()

"""What becomes of a draft model's tokens: a chain, or the best of a tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from respec_core.engine.drafting import Context, Draft, Part
from respec_core.engine.first_step import FirstStep
from respec_core.engine.tree import DraftTree


def no_room(context: Context) -> Draft:
    """Nothing, and why."""
    at_limit = context.room >= 1
    reason = "the draft model's context is full: plain decoding from here" if at_limit else "no room for a draft"
    return Draft(DraftTree.root(context.root), reason=reason)


def chained(root: int, tokens: Sequence[int], confidence: Sequence[float | None], name: str) -> Draft:
    """Tokens below each other; ``name`` is the model's."""
    scores = np.cumprod([c or 0.0 for c in confidence]).tolist()
    tree = DraftTree.chain(root, tokens, "model", draft_p=confidence, scores=scores)
    return Draft(tree, reason=f"{len(tokens)} tokens from {name}")


def reranked(tree: DraftTree, nodes: int, first: FirstStep, name: str) -> Draft:
    """The best ``nodes`` below the root of all that grew."""
    order = tree.best(nodes)
    part = Part(tree, dict.fromkeys(set(range(1, len(tree))).difference(order), "rerank"))
    reason = f"best {len(order)} of {len(tree) - 1} nodes from {name}"
    return Draft(tree.keep(order), first=first, parts={"drafter": part}, reason=reason)

"""What the target last ranked best behind every token: Token Recycling's matrix (arXiv 2408.08696), RACER's table (2604.14885)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from respec_core.engine.likeliest import likeliest
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.rank_prior import TOP_K

if TYPE_CHECKING:
    from respec_core.engine.drafting import Round

Template = Sequence[tuple[int, int, float]]  # (parent, rank, prior) of each node below the root, which is node 0


class Successors:
    """``matrix[token]`` holds the best successors of ``token``, best first; −1 where nothing is known yet.

    It lives for one run and starts from the prompt's own bigrams (ours).
    """

    def __init__(self, vocab_size: int) -> None:
        self.matrix = np.full((vocab_size, TOP_K), -1, dtype=np.int32)

    def read(self, prompt: Sequence[int]) -> None:
        """Start from the prompt's bigrams, the newest successor first."""
        for token, successors in prompt_rows(prompt).items():
            self.matrix[token, : len(successors)] = successors

    def tree(self, root: int, template: Template, source: str) -> DraftTree:
        """``template`` filled below ``root``; branches end where nothing is known."""
        tokens, parents, scores, place = [root], [-1], [1.0], {0: 0}
        for i, (parent, rank, prior) in enumerate(template, 1):
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
        return DraftTree.grown(tokens, parents, source, scores=scores)

    def learn(self, round: Round) -> None:
        """Every verified node's token gets the target's new top 8."""
        best = likeliest(round.logits, min(TOP_K, round.logits.shape[-1]))[1].cpu().numpy()
        # deeper nodes first, so that the rows nearest the committed text win where a token occurs twice
        order = np.argsort(round.tree.depths, kind="stable")[::-1]
        tokens = np.asarray(round.tree.tokens)[order]
        self.matrix[tokens, : best.shape[1]] = best[order]
        for node in (0, *round.path):  # the accepted path has the last word
            self.matrix[round.tree.tokens[node], : best.shape[1]] = best[node]


def prompt_rows(prompt: Sequence[int]) -> dict[int, list[int]]:
    """The newest successors of every token of a text, the newest first."""
    rows: dict[int, list[int]] = {}
    for token, successor in pairwise(prompt):
        kept = [known for known in rows.get(token, ()) if known != successor]
        rows[token] = [successor, *kept][:TOP_K]
    return rows

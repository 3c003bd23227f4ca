"""A smaller causal model drafts: a sampled or greedy chain (arXiv 2211.17192), or a tree by confidence.

The tree is EAGLE-2's expand and rerank (arXiv 2406.16858 §4) with a token-level drafter, not a feature head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from respec_core.engine.drafting import Context, Draft, Drafter, Round
from respec_core.engine.first_step import FirstStep
from respec_core.engine.likeliest import likeliest
from respec_core.engine.routing import Always, Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.draft_model.drafts import chained, no_room, reranked
from respec_core.methods.draft_model.settings import DraftModelSettings
from respec_core.methods.parts.draft_model import Smaller
from respec_core.methods.resources import Models
from respec_core.trace.round import Hit

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel


def build(settings: DraftModelSettings, models: Models) -> Router:
    """Ask the draft model every round.

    Raises:
        ReSpecError: when no draft model was loaded.
    """
    return Always(models.require(Smaller, "draft-model").drafter(settings), "model")


class DraftModelDrafter(Drafter):
    """Own session. Its cache runs ahead of the committed ids; what turned out wrong is cropped next round."""

    def __init__(self, settings: DraftModelSettings, model: LanguageModel) -> None:
        self.settings = settings
        self.model = model
        self.session = model.session(capacity=512)
        self._ahead: list[int] = []  # tokens in the cache behind the committed ids of the last proposal

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt but for its last token."""
        for _ in self.session.prefill(prompt[:-1]):
            pass

    def propose(self, context: Context) -> Draft:
        """A chain or tree of at most ``depth`` levels; shorter at the draft model's context limit."""
        depth = min(self.settings.depth, context.room, self.model.max_context - len(context.ids))
        if depth < 1:
            return no_room(context)
        with context.clock.phase("draft"):
            logits = self._catch_up(context.ids)
            if self.settings.shape == "chain":
                return self._chain(context, logits, depth)
            return self._tree(context, logits, depth)

    def _catch_up(self, ids: Sequence[int]) -> torch.Tensor:
        """Feed the committed tokens not seen yet, the root included; logits ``[vocab]`` after the root."""
        known = self.session.length - len(self._ahead)
        right = 0
        while right < len(self._ahead) and known + right < len(ids) - 1 and self._ahead[right] == ids[known + right]:
            right += 1
        self.session.cache.crop(right - len(self._ahead))
        self._ahead = []
        fresh = list(ids[self.session.length :])
        if len(fresh) > 64:  # drafting paused: the prompt path is cheaper
            for _ in self.session.prefill(fresh[:-1]):
                pass
            fresh = fresh[-1:]
        output = self.session.forward(DraftTree.chain(fresh[0], fresh[1:], "model"))
        self.session.keep(range(len(fresh)))
        return output.logits[-1]

    def _chain(self, context: Context, logits: torch.Tensor, depth: int) -> Draft:
        sampler = context.sampler
        tokens: list[int] = []
        confidence: list[float | None] = []
        distributions: dict[int, torch.Tensor] = {}
        while len(tokens) < depth:
            token, q = sampler.choose(logits, [*context.ids, *tokens])
            p = float(q[token] if q is not None else logits.softmax(-1)[token])
            if q is not None:
                distributions[len(tokens)] = q
            tokens.append(token)
            confidence.append(p)
            if p < self.settings.confidence_stop:
                break  # behind the token: a sampled one that was left out for its own probability would bias the samples
            if len(tokens) < depth:
                logits = self.session.forward(DraftTree.root(token)).logits[0]
                self.session.keep([0])
                self._ahead.append(token)
        return replace(chained(context.root, tokens, confidence, self.model.name), distributions=distributions)

    def _tree(self, context: Context, logits: torch.Tensor, depth: int) -> Draft:
        settings = self.settings
        tokens, parents, depths = [context.root], [-1], [0]
        confidence: list[float | None] = [None]
        scores = [1.0]
        frontier, rows = [0], logits[None]
        fed: list[int] = []  # nodes in the draft model's cache behind the committed ids, in order
        for level in range(1, depth + 1):
            layer = self._expand(frontier, rows, scores, settings.tree_top_k)
            for parent, token, p in layer:
                tokens.append(token)
                parents.append(parent)
                depths.append(level)
                confidence.append(p)
                scores.append(scores[parent] * p)
            if level == depth:
                break
            start = len(tokens) - len(layer)
            frontier = sorted(sorted(range(start, len(tokens)), key=lambda i: -scores[i])[: settings.tree_top_k])
            rows = self._feed(tokens, parents, depths, fed, frontier)
        tree = DraftTree.grown(tokens, parents, "model", draft_p=confidence, scores=scores)
        self.session.cache.crop(len(context.ids) - self.session.length)
        return reranked(tree, settings.tree_nodes, FirstStep(logits.log_softmax(-1)), self.model.name)

    @staticmethod
    def _expand(
        frontier: Sequence[int], rows: torch.Tensor, scores: Sequence[float], top_k: int
    ) -> list[tuple[int, int, float]]:
        values, picks = likeliest(rows.softmax(-1), min(top_k, rows.shape[-1]))
        return [
            (node, token, p)
            for node, row_tokens, row_p in zip(frontier, picks.tolist(), values.tolist(), strict=True)
            for token, p in zip(row_tokens, row_p, strict=True)
        ]

    def _feed(
        self, tokens: Sequence[int], parents: Sequence[int], depths: Sequence[int], fed: list[int], frontier: list[int]
    ) -> torch.Tensor:
        """Forward the frontier; it sees the committed prefix and its own ancestors. Logits ``[frontier, vocab]``."""
        column = {node: i for i, node in enumerate([*fed, *frontier])}
        visible = np.zeros((len(frontier), len(column)), dtype=bool)
        for row, node in enumerate(frontier):
            at = node
            while at > 0:
                visible[row, column[at]] = True
                at = parents[at]
        committed = self.session.length - len(fed)
        positions = [committed + depths[node] - 1 for node in frontier]
        output = self.session.forward_nodes([tokens[i] for i in frontier], positions, visible)
        self.session.keep(range(len(frontier)))
        fed.extend(frontier)
        return output.logits

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Nothing to learn; the next proposal feeds what was committed."""
        return ()

"""A target in int8 that remembers what decided."""

from __future__ import annotations

import torch

from respec_core.models.language_model import LanguageModel
from respec_core.models.lean.session import LeanSession


class Watched(LanguageModel):
    """``model`` in int8; ``kept`` has the logits ``[n, vocab]`` of the nodes that each round committed.

    Of the last session that was opened: a method may open others before, for its drafts.
    """

    def __init__(self, model: LanguageModel) -> None:
        super().__init__(model.network, model.tokenizer, model.name, model.origin, int8=True)
        self.costs = model.costs
        self.kept: list[torch.Tensor] = []

    def session(self, capacity, layers=()):
        self.kept = []
        return WatchedSession(self, self.lean, self.lean.cache(capacity), layers)


class WatchedSession(LeanSession):
    output = None  # of the last forward

    def __init__(self, model, network, cache, layers):
        super().__init__(model, network, cache, layers)
        self.kept = model.kept

    def forward(self, tree):
        self.output = super().forward(tree)
        return self.output

    def keep(self, rows):
        super().keep(rows)
        if self.output is not None:  # not the prompt's
            self.kept.append(self.output.logits[list(rows)].clone())

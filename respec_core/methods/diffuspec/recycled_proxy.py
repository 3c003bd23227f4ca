"""The target's own remembered successors as a causal proxy (Token Recycling's matrix, arXiv 2408.08696)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from respec_core.engine.drafting import Round
from respec_core.methods.diffuspec.proxy import Proxy
from respec_core.methods.parts.rank_prior import RANK_PRIOR
from respec_core.methods.parts.successors import Successors

LOG_RANK = np.log(RANK_PRIOR)


class RecycledProxy(Proxy):
    """A successor that the target last ranked r-th has the prior of rank r; all others share what is left."""

    span = 1

    def __init__(self, vocab_size: int) -> None:
        self.memory = Successors(vocab_size)
        self.floor = math.log((1 - sum(RANK_PRIOR)) / vocab_size)

    def read(self, tokens: Sequence[int]) -> None:
        """Start from the prompt's bigrams."""
        self.memory.read(tokens)

    def observe(self, round: Round) -> None:
        """Every verified node's token gets the target's newest best successors."""
        self.memory.learn(round)

    def log_p(self, context: Sequence[int], tokens: np.ndarray) -> np.ndarray:
        """See the class."""
        found = tokens[:, None] == self.memory.matrix[context[-1]]
        return np.where(found.any(axis=1), LOG_RANK[found.argmax(axis=1)], self.floor)

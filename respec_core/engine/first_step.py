"""A model drafter's whole opinion on the next token: prunes retrieved continuations (RASD, arXiv 2503.03434 §3.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class FirstStep:
    """Log-probabilities behind the root.

    Attributes:
        log_p: ``[n]`` over what the drafter can say.
        tokens: token id of each entry ``[n]``, ascending; None where entry i is token i.
    """

    log_p: Tensor
    tokens: Tensor | None = None

    def rank(self, token: int) -> int | None:
        """1 for the likeliest token; None if the drafter cannot say it."""
        at = self._entry(token)
        return None if at is None else int((self.log_p > self.log_p[at]).sum()) + 1

    def p(self, token: int) -> float:
        """Probability of ``token``, 0 if the drafter cannot say it."""
        at = self._entry(token)
        return 0.0 if at is None else math.exp(float(self.log_p[at]))

    def _entry(self, token: int) -> int | None:
        if self.tokens is None:
            return token if token < len(self.log_p) else None
        at = int(torch.searchsorted(self.tokens, token))
        return at if at < len(self.tokens) and int(self.tokens[at]) == token else None

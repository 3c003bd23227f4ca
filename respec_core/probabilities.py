"""What the target thought at the rows that mattered: entropy, top tokens, probability and rank of chosen tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

TOP = 5


@dataclass(frozen=True)
class Opinions:
    """The plain softmax (temperature 1) of some rows of logits, entropies in nats.

    Attributes:
        log_p: ``[rows, vocab]``.
        entropy: one a row.
        top: per row the five likeliest ``(token, p)``.
    """

    log_p: torch.Tensor
    entropy: tuple[float, ...]
    top: tuple[tuple[tuple[int, float], ...], ...]

    def of(self, row: int, tokens: Sequence[int]) -> list[tuple[float, int]]:
        """Probability and rank (1 is the likeliest) of each token in ``row``."""
        scores = self.log_p[row]
        values = scores[torch.tensor(list(tokens), device=scores.device)]
        ranks = [int((scores > value).sum()) + 1 for value in values]
        return list(zip(values.exp().tolist(), ranks, strict=True))


@torch.inference_mode()
def opinions(logits: torch.Tensor) -> Opinions:
    """Opinions of float32 ``logits`` ``[rows, vocab]``."""
    log_p = logits.log_softmax(-1)
    p = log_p.exp()
    # 0 · −∞ counts as 0
    entropy = -(p * log_p.clamp(min=torch.finfo(log_p.dtype).min)).sum(-1)
    values, tokens = p.topk(min(TOP, p.shape[-1]), dim=-1)
    top = tuple(tuple(zip(t, v, strict=True)) for t, v in zip(tokens.tolist(), values.tolist(), strict=True))
    return Opinions(log_p, tuple(entropy.tolist()), top)

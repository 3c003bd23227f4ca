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
        p: ``[rows, vocab]``.
        entropy: one a row.
        top: per row the five likeliest ``(token, p)``.
    """

    p: torch.Tensor
    entropy: tuple[float, ...]
    top: tuple[tuple[tuple[int, float], ...], ...]

    def of(self, row: int, tokens: Sequence[int]) -> list[tuple[float, int]]:
        """Probability and rank (1 is the likeliest) of each token in ``row``."""
        known = {token: (p, rank) for rank, (token, p) in enumerate(self.top[row], 1)}  # nearly always enough
        return [known.get(token) or self._look_up(row, token) for token in tokens]

    def _look_up(self, row: int, token: int) -> tuple[float, int]:
        p = self.p[row]
        return float(p[token]), int((p > p[token]).sum()) + 1


@torch.inference_mode()
def opinions(logits: torch.Tensor) -> Opinions:
    """Opinions of float32 ``logits`` ``[rows, vocab]``."""
    p = logits.softmax(-1)
    values, tokens = p.topk(min(TOP, p.shape[-1]), dim=-1)
    # H = log Z − Σ p·logit, with log Z read off the likeliest token: one pass instead of three
    log_z = logits.gather(-1, tokens[:, :1])[:, 0] - values[:, 0].log()
    entropy = (log_z - torch.linalg.vecdot(p, logits)).clamp_(min=0)
    if bool(entropy.isnan().any()):  # a forbidden token: 0 · −∞ counts as 0
        entropy = torch.special.entr(p).sum(-1)
    top = tuple(tuple(zip(t, v, strict=True)) for t, v in zip(tokens.tolist(), values.tolist(), strict=True))
    return Opinions(p, tuple(entropy.tolist()), top)

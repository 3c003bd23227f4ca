"""What the target thought at the rows that mattered: entropy, top tokens, probability and rank of chosen tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from respec_core.engine.likeliest import likeliest

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
        if missing := [token for token in tokens if token not in known]:
            known |= zip(missing, self._look_up(row, missing), strict=True)
        return [known[token] for token in tokens]

    def _look_up(self, row: int, tokens: Sequence[int]) -> list[tuple[float, int]]:
        p = self.p[row]
        own = torch.stack([p[token] for token in tokens])
        better = (p > own[:, None]).sum(-1)
        return [(value, 1 + int(n)) for value, n in torch.stack((own, better.to(own.dtype)), dim=1).tolist()]


@torch.inference_mode()
def opinions(logits: torch.Tensor) -> Opinions:
    """Opinions of float32 ``logits`` ``[rows, vocab]``."""
    p = logits.softmax(-1)
    values, tokens = likeliest(p, min(TOP, p.shape[-1]))
    # H = log Z − Σ p·logit, with log Z read off the likeliest token: one pass instead of three
    log_z = logits.gather(-1, tokens[:, :1])[:, 0] - values[:, 0].log()
    entropy = (log_z - _dots(p, logits)).clamp_(min=0)
    read = torch.cat((entropy[:, None], values, tokens.to(values.dtype)), dim=1).tolist()  # a card is waited for once
    entropies, tops = [row[0] for row in read], [row[1:] for row in read]
    if any(map(math.isnan, entropies)):  # a forbidden token: 0 · −∞ counts as 0
        entropies = torch.special.entr(p).sum(-1).tolist()
    half = values.shape[-1]
    top = tuple(tuple(zip(map(int, row[half:]), row[:half], strict=True)) for row in tops)
    return Opinions(p, tuple(entropies), top)


def _dots(p: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    """``[rows]``; on a processor without a product as large as ``p`` in between."""
    if p.is_cuda:
        product: torch.Tensor = torch.linalg.vecdot(p, logits)
        return product
    return torch.stack([torch.dot(*row) for row in zip(p, logits, strict=True)])

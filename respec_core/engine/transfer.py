"""Knowledge transfer (RAPID, arXiv 2502.20330 §3.3): the target's distribution pulled towards the drafter's. Lossy."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Transfer:
    """How far the target is pulled.

    Attributes:
        eta: strength η; 0 pulls nothing.
        alpha: only tokens that the drafter gives at least this share of its best one's probability are moved.
    """

    eta: float
    alpha: float

    def pulled(self, p: Tensor, q: Tensor) -> Tensor:
        """``softmax(z − η·mask·(p − q))`` ``[vocab]`` of the target's ``p = softmax z``; the drafter's is ``q``."""
        mask = q >= self.alpha * q.max()
        moved = p * (-self.eta * mask * (p - q)).exp()
        return moved / moved.sum()

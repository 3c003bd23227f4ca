"""Between the weights that a training began from and those it ended with (arXiv 2203.05482, 2109.01903).

A short training on small batches is noisy: what was asked for is learned long before the rest has settled again. The
average keeps the one and most of the other.
"""

from __future__ import annotations

import torch
from torch import nn


@torch.no_grad()
def keep(module: nn.Module, start: nn.Module, share: float) -> None:
    """Move ``module`` in place by ``share`` (0 to 1) of the way back to ``start``, a module of the same shape."""
    for weight, earlier in zip(module.parameters(), start.parameters(), strict=True):
        weight.lerp_(earlier.to(weight), share)

"""Rotary embeddings (arXiv 2104.09864) with a head's halves side by side."""

from __future__ import annotations

import torch
from torch import Tensor

CosSin = tuple[Tensor, Tensor]


def inverse_frequencies(head_dim: int, theta: float) -> Tensor:
    """Rotary frequencies ``[head_dim / 2]``, on the processor: torch counts on its device without memory by loading its compiler."""
    powers = torch.arange(0, head_dim, 2, dtype=torch.float32, device="cpu") / head_dim
    return 1.0 / theta**powers


def turns(positions: Tensor, inv_freq: Tensor, dtype: torch.dtype) -> CosSin:
    """Cosines and sines of the rotary embedding at ``positions [..., n]``, ``[..., n, head_dim / 2]`` both."""
    angle = positions.to(torch.float32)[..., None] * inv_freq
    return angle.cos().to(dtype), angle.sin().to(dtype)


def turned(x: Tensor, by: CosSin) -> Tensor:
    """``x [..., n, head_dim]`` turned, broadcast over the axes between."""
    cos, sin = by
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def rotate(x: Tensor, positions: Tensor, inv_freq: Tensor) -> Tensor:
    """Rotary embedding: ``x [..., n, head_dim]`` at ``positions [..., n]``, broadcast over the axes between."""
    return turned(x, turns(positions, inv_freq, x.dtype))

"""Attention of new tokens over one layer's cached rows."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def few(queries: Tensor, rows: Tensor, mask: Tensor | None, dtype: torch.dtype) -> Tensor:
    """For a handful of tokens: written out, so that keys and values are read where they are.

    Args:
        queries: ``[n, kv_heads, shared_by, head_dim]``, scaled.
        rows: ``[2 * kv_heads, length, head_dim]``, keys and values of all that is seen, the new tokens' own last.
        mask: ``[n * shared_by, m]`` in ``dtype``, added to the scores of the last ``m`` rows.
        dtype: to compute in. In float64, once rounded, a token's result does not depend on who is computed with it.

    Returns:
        ``[n, heads * head_dim]`` in the queries' dtype.
    """
    n, kv_heads, _, head_dim = queries.shape
    keys, values = rows.to(dtype).split(kv_heads)
    grouped = queries.transpose(0, 1).to(dtype, memory_format=torch.contiguous_format).reshape(kv_heads, -1, head_dim)
    if n <= 2 and dtype == torch.float64:  # then keys are multiplied as fast as they come from memory
        scores = torch.bmm(keys, grouped.transpose(1, 2)).transpose(1, 2)
    else:
        scores = torch.bmm(grouped, keys.transpose(1, 2))
    if mask is not None:
        scores[..., -mask.shape[1] :].add_(mask)
    seen = torch.bmm(scores.softmax(-1), values).view(kv_heads, n, -1).transpose(0, 1)
    return seen.to(queries.dtype, memory_format=torch.contiguous_format).reshape(n, -1)


def many(queries: Tensor, rows: Tensor, mask: Tensor | None) -> Tensor:
    """For a chunk of the prompt: torch's fused kernel; ``mask [n, m]`` is of all rows or None."""
    n, kv_heads, shared_by, _ = queries.shape
    keys, values = rows.expand(shared_by, -1, -1, -1).split(kv_heads, dim=1)
    grouped = queries.permute(2, 1, 0, 3)
    seen = F.scaled_dot_product_attention(grouped, keys, values, mask, scale=1.0)
    return seen.permute(2, 1, 0, 3).reshape(n, -1)

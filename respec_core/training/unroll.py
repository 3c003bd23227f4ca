"""An EAGLE head over whole batches: every window position drafts several steps at once (training-time test).

At step k the row of position t stands at t + k; it sees the rows with true features up to t and the rows it drafted
itself at steps 1 … k (arXiv 2503.01840 §3.2), exactly what :class:`EagleSession` gives a drafted chain.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from respec_core.methods.diffuspec.block_network import KeysValues
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.parts.rotary import rotate
from respec_core.training.batches import Batch


def pick(x: Tensor, index: Tensor) -> Tensor:
    """``x [rows, n, width]`` at ``index [rows, w]``: ``[rows, w, width]``."""
    return x.gather(1, index[..., None].expand(-1, -1, x.shape[-1]))


def read(head: EagleHead, features: Tensor, batch: Batch) -> tuple[Tensor, KeysValues]:
    """The head over whole texts, fed the true tokens, without drafting.

    Args:
        features: ``[rows, n, n_layers * hidden]``.

    Returns:
        step-0 states of every position ``[rows, n, hidden]``; the keys and values ``[rows, kv_heads, n, d]`` it caches.
    """
    residual, x = head.inputs(head.fuse(features), batch.tokens.roll(-1, dims=1))
    q, k, v = head.heads(x)
    everywhere = torch.arange(batch.tokens.shape[1], device=features.device)
    q, k = (rotate(t, everywhere, head.inv_freq) for t in (q, k))
    attended = F.scaled_dot_product_attention(q, k, v.to(q.dtype), is_causal=True, enable_gqa=True)
    return head.finish(residual, attended), (k, v)


def unroll(head: EagleHead, features: Tensor, batch: Batch, steps: int) -> list[Tensor]:
    """Draft ``steps`` tokens from every window position, fed the true tokens.

    Args:
        features: ``[rows, n, n_layers * hidden]``.

    Returns:
        states by step, each ``[rows, w, hidden]`` (step k guesses token t + 2 + k).
    """
    n = batch.tokens.shape[1]
    following = batch.tokens.roll(-1, dims=1)
    residual, x = head.inputs(head.fuse(features), following)
    q, k, v = head.heads(x)
    everywhere = torch.arange(n, device=features.device)
    k = rotate(k, everywhere, head.inv_freq)
    base = batch.base
    seen = everywhere <= base[..., None]
    q = q.gather(2, base[:, None, :, None].expand(-1, q.shape[1], -1, q.shape[-1]))
    q = rotate(q, base[:, None], head.inv_freq)
    states = [head.finish(pick(residual, base), _attend(q, k, v, seen, [], []))]
    own_keys: list[Tensor] = []
    own_values: list[Tensor] = []
    for step in range(1, steps):
        at = base + step
        tokens = following.gather(1, at.clamp(max=n - 1))
        residual, x = head.inputs(states[-1], tokens)
        q, own_k, own_v = head.heads(x)
        own_keys.append(rotate(own_k, at[:, None], head.inv_freq))
        own_values.append(own_v)
        q = rotate(q, at[:, None], head.inv_freq)
        states.append(head.finish(residual, _attend(q, k, v, seen, own_keys, own_values)))
    return states


def _attend(q: Tensor, k: Tensor, v: Tensor, seen: Tensor, own_keys: list[Tensor], own_values: list[Tensor]) -> Tensor:
    """Grouped attention over shared keys ``[rows, kv, n, d]`` and each query's own ``[rows, kv, w, d]`` ones."""
    w, d = q.shape[-2:]
    groups = q.shape[1] // k.shape[1]
    q = q.unflatten(1, (-1, groups)) * d**-0.5
    scores = (q.flatten(2, 3) @ k.transpose(-1, -2)).unflatten(2, (groups, w))
    scores = scores.masked_fill(~seen[:, None, None], float("-inf"))
    own = [(q * key[:, :, None]).sum(-1, keepdim=True) for key in own_keys]
    weights = torch.cat([scores, *own], dim=-1).softmax(dim=-1).to(v.dtype)
    n = k.shape[2]
    result: Tensor = (weights[..., :n].flatten(2, 3) @ v).unflatten(2, (groups, w))
    for i, value in enumerate(own_values):
        result = result + weights[..., n + i, None] * value[:, :, None]
    return result.flatten(1, 2)


def guesses_exist(batch: Batch, step: int) -> Tensor:
    """bool ``[rows, w]``: window positions whose guess at ``step`` lies inside the text."""
    return batch.valid & (batch.base + 2 + step < batch.ends[:, None])

"""One decoder layer of the lean forward, in methods that TorchScript takes."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respec_core.models.lean.attention import few
from respec_core.models.lean.projection import Projection, RowNorm, normed
from respec_core.models.lean.shape import Shape


class DecoderLayer(nn.Module):
    """Fused projections around attention. ``q_norm`` and ``k_norm`` over a head's elements where the family has them (Qwen3)."""

    def __init__(
        self,
        shape: Shape,
        attention_norm: RowNorm,
        qkv: Projection,
        out: Projection,
        mlp_norm: RowNorm,
        gate_up: Projection,
        down: Projection,
        q_norm: RowNorm | None = None,
        k_norm: RowNorm | None = None,
    ) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.shared_by = shape.heads, shape.kv_heads, shape.shared_by
        self.head_dim, self.inner = shape.head_dim, shape.inner
        self.attention_norm, self.mlp_norm = attention_norm, mlp_norm
        self.qkv, self.out, self.gate_up, self.down = qkv, out, gate_up, down
        self.q_norm, self.k_norm = q_norm, k_norm

    def forward(
        self, x: Tensor, turns: Tensor, seen: Tensor, own: Tensor, mask: Tensor | None, dtype: torch.dtype
    ) -> Tensor:
        """The layer over a few tokens.

        Args:
            x: hidden states ``[n, width]``.
            turns: as of :meth:`project`.
            seen: this layer's rows of the cache that are seen, the tokens' own last; ``own``: these alone, to be written.
            mask: with ``dtype``, as :func:`~respec_core.models.lean.attention.few` takes them.
        """
        queries, new = self.project(x, turns)
        own.copy_(new.transpose(0, 1))
        return self.finish(x, few(queries, seen, mask, dtype))

    def project(self, x: Tensor, turns: Tensor) -> tuple[Tensor, Tensor]:
        """Queries ``[n, kv_heads, shared_by, head_dim]`` and new rows ``[n, 2 * kv_heads, head_dim]``.

        Args:
            turns: what heads are multiplied by, complex ``[n, heads + 2 * kv_heads, head_dim / 2]``.
        """
        n = x.shape[0]
        heads = self.qkv.normed(x, self.attention_norm)
        if self.q_norm is not None and self.k_norm is not None:
            queries, keys, values = heads.view(n, -1, self.head_dim).split(
                (self.heads, self.kv_heads, self.kv_heads), dim=1
            )
            heads = torch.cat((normed(queries, self.q_norm), normed(keys, self.k_norm), values), dim=1)
        turned = torch.view_as_complex(heads.float().view(n, -1, self.head_dim // 2, 2)).mul(turns)
        flat = torch.view_as_real(turned).view(n, -1, self.head_dim)
        first, rows = flat.split((self.heads, 2 * self.kv_heads), dim=1)
        return first.view(n, self.kv_heads, self.shared_by, self.head_dim).to(x.dtype), rows

    def finish(self, x: Tensor, seen: Tensor) -> Tensor:
        """The layer's output, of its input and what attention saw ``[n, heads * head_dim]``."""
        x = self.out.onto(x, seen)
        gate, up = self.gate_up.normed(x, self.mlp_norm).split((self.inner, self.inner), dim=-1)
        return self.down.onto(x, F.silu(gate).mul_(up))


class OutputHead(nn.Module):
    """Logits of hidden states: the last norm and the output layer."""

    def __init__(self, norm: RowNorm, projection: Projection) -> None:
        super().__init__()
        self.norm, self.projection = norm, projection

    def forward(self, x: Tensor) -> Tensor:
        """``[n, rows of the output layer]`` of ``x [n, width]``."""
        return self.projection.normed(x, self.norm)

"""A decoder's weights as the lean forward reads them: projections fused, heads' elements in pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from respec_core.models.lean.layer import DecoderLayer
from respec_core.models.lean.projection import Dense, Projection, RowNorm
from respec_core.models.lean.shape import Shape

Make = Callable[[str, Tensor, Tensor | None], Projection]  # of a weight's name, the weight and its bias


@dataclass(frozen=True)
class Weights:
    """All of them. ``embedding [rows, width]`` and the norms are in the precision that hidden states have."""

    embedding: Tensor
    layers: tuple[DecoderLayer, ...]
    norm: RowNorm
    head: Projection


def dense(name: str, weight: Tensor, bias: Tensor | None) -> Projection:
    """In the network's own precision."""
    return Dense(weight, bias)


@torch.no_grad()
def from_network(network: Any, shape: Shape, make: Make = dense, dtype: torch.dtype | None = None) -> Weights:
    """The weights of a transformers network of one of the families.

    Projections whose rows stay as they are share their memory with the network, which goes on working: its value, gate
    and up weights become views of the fused ones.

    Args:
        make: what becomes of a projection's weight.
        dtype: of hidden states and norms; the network's own when None.
    """
    model = network.model
    layers = tuple(_layer(f"layers.{i}", layer, shape, make, dtype) for i, layer in enumerate(model.layers))
    return Weights(
        embedding=model.embed_tokens.weight.detach(),
        layers=layers,
        norm=_norm(model.norm, shape, dtype),
        head=make("head", network.lm_head.weight.detach(), None),
    )


def _layer(name: str, layer: Any, shape: Shape, make: Make, dtype: torch.dtype | None) -> DecoderLayer:
    attention, mlp = layer.self_attn, layer.mlp

    def made(part: str, weight: Tensor, bias: Tensor | None) -> Projection:
        return make(f"{name}.{part}", weight, bias)

    out, down = attention.o_proj, mlp.down_proj
    q_norm, k_norm = (
        _paired(_norm(norm, shape, dtype)) if (norm := getattr(attention, which, None)) is not None else None
        for which in ("q_norm", "k_norm")
    )
    return DecoderLayer(
        shape,
        attention_norm=_norm(layer.input_layernorm, shape, dtype),
        qkv=made("qkv", *_fused((attention.q_proj, attention.k_proj, attention.v_proj), shape.head_dim, paired=2)),
        out=made("out", out.weight.detach(), _bias(out)),
        mlp_norm=_norm(layer.post_attention_layernorm, shape, dtype),
        gate_up=made("gate_up", *_fused((mlp.gate_proj, mlp.up_proj), shape.head_dim)),
        down=made("down", down.weight.detach(), _bias(down)),
        q_norm=q_norm,
        k_norm=k_norm,
    )


def _norm(module: Any, shape: Shape, dtype: torch.dtype | None) -> RowNorm:
    return RowNorm.of(module.weight.detach().to(dtype or module.weight.dtype), shape.eps)


def _paired(norm: RowNorm) -> RowNorm:
    """For heads whose elements stand in pairs."""
    return RowNorm.of(pairs(norm.weight, len(norm.weight)), norm.eps)


def _bias(linear: Any) -> Tensor | None:
    return None if linear.bias is None else linear.bias.detach()


def _fused(linears: tuple[Any, ...], head_dim: int, paired: int = 0) -> tuple[Tensor, Tensor | None]:
    """Weights and biases below one another; the first ``paired`` have their heads' elements in pairs.

    The others' weights become views of the result, so that they are held once.
    """

    def below(parts: list[Tensor]) -> Tensor:
        return torch.cat([pairs(part, head_dim) if i < paired else part for i, part in enumerate(parts)])

    weight = below([linear.weight.detach() for linear in linears])
    shares = weight.split([len(linear.weight) for linear in linears])
    for linear, share in list(zip(linears, shares, strict=True))[paired:]:
        linear.weight.data = share
    biases = [bias for linear in linears if (bias := _bias(linear)) is not None]
    return weight, below(biases) if biases else None


def pairs(rows: Tensor, head_dim: int) -> Tensor:
    """``rows [heads * head_dim, ...]`` so that what RoPE turns together stands together.

    Transformers turns element i of a head with element i + head_dim / 2.
    """
    split = rows.view(-1, 2, head_dim // 2, *rows.shape[1:])
    return split.transpose(1, 2).reshape(rows.shape)

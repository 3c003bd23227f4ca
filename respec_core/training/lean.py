"""A lean batched forward of Llama-like targets, for writing text and reading features in bulk.

It shares the weights of a transformers model and keeps only what training needs: fused projections, uniform
lengths (so attention needs no mask), and hidden states of a few layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import PreTrainedModel

from respec_core.errors import ReSpecError
from respec_core.methods.parts.rotary import inverse_frequencies


@dataclass(frozen=True)
class Layer:
    """One decoder layer's weights, projections fused."""

    attention_norm: Tensor
    qkv: Tensor
    out: Tensor
    mlp_norm: Tensor
    gate_up: Tensor
    down: Tensor


class LeanCache:
    """Keys and values of a batch of equally long rows: per layer ``[2, batch, kv_heads, length, head_dim]``."""

    def __init__(self, model: LeanLlama, batch: int, length: int) -> None:
        shape = (2, batch, model.kv_heads, length, model.head_dim)
        self.layers = [torch.empty(shape, dtype=model.dtype, device=model.device) for _ in model.layers]

    def keep(self, rows: Tensor) -> None:
        """Drop all but these rows of the batch."""
        for i, layer in enumerate(self.layers):
            self.layers[i] = layer[:, rows]

    def rows(self, start: int, stop: int) -> list[Tensor]:
        """A view of some rows, layer by layer."""
        return [layer[:, start:stop] for layer in self.layers]


class LeanLlama:
    """The network's weights in ``dtype`` on ``device``, behind :meth:`forward`."""

    def __init__(self, network: PreTrainedModel, dtype: torch.dtype, device: str) -> None:
        c = network.config
        rope = c.rope_parameters
        plain = rope.get("rope_type", "default") == "default" and not getattr(c, "attention_bias", False)
        if c.model_type != "llama" or not plain:
            raise ReSpecError(
                f"Training reads plain Llama-architecture targets; this one is {c.model_type!r} "
                f"with {rope.get('rope_type')!r} positions."
            )
        self.dtype, self.device = dtype, torch.device(device)
        self.width, self.heads, self.kv_heads = (
            c.hidden_size,
            c.num_attention_heads,
            c.num_key_value_heads,
        )
        self.head_dim = getattr(c, "head_dim", None) or self.width // self.heads
        self.eps, self.rope_theta, self.inner = c.rms_norm_eps, rope["rope_theta"], c.intermediate_size
        self.vocab = c.vocab_size
        self.inv_freq = inverse_frequencies(self.head_dim, self.rope_theta).to(device)
        weights = {name: t.to(self.device, dtype) for name, t in network.state_dict().items()}
        self.embedding = weights["model.embed_tokens.weight"]
        self.output = weights["lm_head.weight"]
        self.norm = weights["model.norm.weight"]
        self.layers = [_fused(weights, f"model.layers.{i}.") for i in range(c.num_hidden_layers)]

    @torch.no_grad()
    def forward(
        self,
        tokens: Tensor,
        cache: Sequence[Tensor] | None = None,
        at: int = 0,
        features: Sequence[int] = (),
    ) -> tuple[Tensor, Tensor]:
        """One causal forward of ``tokens [batch, n]`` placed at positions ``at …`` (only n = 1 may follow others).

        Args:
            cache: per layer ``[2, batch, kv_heads, length, head_dim]``, written at ``at …``; None reads no past.
            features: hidden states to hand out, counted as transformers does (-1 the last, normed).

        Returns:
            last hidden states, normed, ``[batch, n, width]``; features side by side ``[batch, n, k * width]``
            (empty when none are asked for).
        """
        n = tokens.shape[1]
        positions = torch.arange(at, at + n, device=self.device, dtype=torch.float32)
        angle = positions[:, None] * self.inv_freq
        cos, sin = (torch.cat((f, f), -1).to(self.dtype) for f in (angle.cos(), angle.sin()))
        x = F.embedding(tokens, self.embedding)
        wanted = {i: torch.empty(0) for i in features}
        for i, layer in enumerate(self.layers):
            if i in wanted:
                wanted[i] = x
            past = None if cache is None else cache[i]
            x = x + self._attention(layer, x, cos, sin, past, at)
            y = F.rms_norm(x, (self.width,), layer.mlp_norm, self.eps)
            gate, up = F.linear(y, layer.gate_up).chunk(2, dim=-1)
            x = x + F.linear(F.silu(gate) * up, layer.down)
        x = F.rms_norm(x, (self.width,), self.norm, self.eps)
        if not features:
            return x, x.new_empty(0)
        last = {-1, len(self.layers)}
        return x, torch.cat([x if i in last else wanted[i] for i in features], dim=-1)

    def logits(self, hidden: Tensor) -> Tensor:
        """Normed hidden states to logits over the whole vocabulary."""
        return F.linear(hidden, self.output)

    def _attention(self, layer: Layer, x: Tensor, cos: Tensor, sin: Tensor, past: Tensor | None, at: int) -> Tensor:
        batch, n, _ = x.shape
        y = F.rms_norm(x, (self.width,), layer.attention_norm, self.eps)
        qkv = F.linear(y, layer.qkv).view(batch, n, -1, self.head_dim).transpose(1, 2)
        qk = qkv[:, : self.heads + self.kv_heads]
        a, b = qk.chunk(2, dim=-1)
        qk = qk * cos + torch.cat((-b, a), dim=-1) * sin
        q, k = qk.split((self.heads, self.kv_heads), dim=1)
        v = qkv[:, self.heads + self.kv_heads :]
        if past is not None:
            past[0, :, :, at : at + n] = k
            past[1, :, :, at : at + n] = v
            k, v = past[0, :, :, : at + n], past[1, :, :, : at + n]
        if n == 1:
            # the queries that share a key-value head become rows of one small attention: no copy of the keys
            q = q.reshape(batch, self.kv_heads, -1, self.head_dim)
            attended = F.scaled_dot_product_attention(q, k, v).reshape(batch, 1, -1)
        else:
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            attended = attended.transpose(1, 2).reshape(batch, n, -1)
        return F.linear(attended, layer.out)


def _fused(weights: dict[str, Tensor], prefix: str) -> Layer:
    def get(name: str) -> Tensor:
        return weights[f"{prefix}{name}.weight"]

    return Layer(
        get("input_layernorm"),
        torch.cat([get(f"self_attn.{p}_proj") for p in "qkv"]),
        get("self_attn.o_proj"),
        get("post_attention_layernorm"),
        torch.cat([get("mlp.gate_proj"), get("mlp.up_proj")]),
        get("mlp.down_proj"),
    )


@contextmanager
def fast_attention(device: torch.device) -> Iterator[None]:
    """Flash attention on CUDA: other kernels are planned anew for every length of a growing cache."""
    if device.type != "cuda":
        yield
        return
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
        yield

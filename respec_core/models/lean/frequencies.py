"""How far a rotary position turns each pair of a head's elements (RoPE, arXiv 2104.09864), of every kind transformers has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

# Of positions ``[n]``: cosine and sine of each pair's turn, ``[n, head_dim / 2]`` each.
Turning = Callable[[Tensor], tuple[Tensor, Tensor]]


def turns_of(config: Any, device: torch.device) -> Turning:
    """As the rotary part of a transformers configuration says."""
    kind = config.rope_parameters["rope_type"]
    if "dynamic" in kind or kind == "longrope":  # frequencies that depend on the furthest position
        return _changing(config, device)
    frequencies, scale = _default(config) if kind == "default" else ROPE_INIT_FUNCTIONS[kind](config)
    frequencies = frequencies.to(device)

    def turns(positions: Tensor) -> tuple[Tensor, Tensor]:
        angles = positions[:, None].float() * frequencies
        return angles.cos() * scale, angles.sin() * scale

    return turns


def _default(config: Any) -> tuple[Tensor, float]:
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    powers = torch.arange(0, size, 2, dtype=torch.float) / size
    return 1.0 / (config.rope_parameters["rope_theta"] ** powers), 1.0


def _changing(config: Any, device: torch.device) -> Turning:
    # A second and 80 MB, for these kinds alone.
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    rotary = LlamaRotaryEmbedding(config).to(device)

    def turns(positions: Tensor) -> tuple[Tensor, Tensor]:
        cos, sin = rotary(torch.empty(0, device=device), positions[None])
        half = cos.shape[-1] // 2
        return cos[0, :, :half], sin[0, :, :half]

    return turns

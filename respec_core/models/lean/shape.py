"""What the lean forward must know of an architecture, and which architectures it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FAMILIES = {  # transformers' class for each: a repository's own code may compute something else
    "llama": "LlamaForCausalLM",
    "mistral": "MistralForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
}


@dataclass(frozen=True)
class Shape:
    """Sizes of a Llama-like decoder.

    Attributes:
        width: of a hidden state.
        heads: of queries; ``kv_heads`` of keys and values, each shared by ``heads / kv_heads`` queries.
        head_dim: of one head.
        inner: width of gate and up each.
        layers: how many.
        eps: of every RMS norm.
    """

    width: int
    heads: int
    kv_heads: int
    head_dim: int
    inner: int
    layers: int
    eps: float

    @classmethod
    def of(cls, config: Any) -> Shape:
        """From a transformers configuration that :func:`why_not_lean` has nothing against."""
        heads = config.num_attention_heads
        return cls(
            width=config.hidden_size,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=getattr(config, "head_dim", None) or config.hidden_size // heads,
            inner=config.intermediate_size,
            layers=config.num_hidden_layers,
            eps=config.rms_norm_eps,
        )

    @property
    def shared_by(self) -> int:
        """Query heads to a key-value head."""
        return self.heads // self.kv_heads


def why_not_lean(config: Any) -> str | None:
    """Why a model of ``config`` runs through transformers, in a few words; None where the lean forward takes it."""
    family = config.model_type
    if family not in FAMILIES or FAMILIES[family] not in (config.architectures or [FAMILIES[family]]):
        return f"its architecture is {family}"
    if getattr(config, "auto_map", None):
        return "it brings its own code"
    if getattr(config, "quantization_config", None):
        return "its weights are quantised already"
    if config.hidden_act != "silu":
        return f"its activation is {config.hidden_act}"
    rope = config.rope_parameters or {}
    if rope.get("partial_rotary_factor", 1.0) != 1.0 or "rope_theta" not in rope:
        return "its rotary positions are not those of all of a head"
    return None

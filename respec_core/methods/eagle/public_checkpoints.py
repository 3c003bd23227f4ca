"""Public EAGLE checkpoints, as their authors publish them, read into :class:`EagleHead`.

EAGLE-1/2 (arXiv 2401.15077, 2406.16858): ``fc`` and ``layers.0``, with biases on ``fc`` and, in heads for Qwen2, on queries,
keys and values; the target's output layer reads them out.
EAGLE-3 (arXiv 2503.01840): ``fc`` over three layers' features, ``midlayer``, ``norm``, ``lm_head`` over a reduced
vocabulary, ``d2t`` (target id minus draft id) and ``t2d`` (which target ids it can say). vLLM's speculators write the same
with ``layers.0`` for ``midlayer`` and the layer's config nested; their heads may be narrower than the target.
Both may bring their own ``embed_tokens``, which then stands in for the target's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import torch
from pydantic import BaseModel, ConfigDict, NonNegativeInt, PositiveFloat, model_validator
from torch import Tensor

from respec_core.errors import ReSpecError, reason
from respec_core.methods.eagle.head import MOST_PADDING, EagleConfig, EagleHead, Layout
from respec_core.methods.eagle.scaled_positions import scaled
from respec_core.models.kept_network import KeptNetwork
from respec_core.models.weights import Size, check_tensors, read_config, read_tensors, shapes

if TYPE_CHECKING:
    from transformers import PreTrainedModel

FILES = ("model.safetensors", "pytorch_model.bin")
DERIVED = "rotary_emb.inv_freq"  # stored by older code; follows from the config
FIRST_LAYER, MID_LAYER = "layers.0.", "midlayer."
EAGLE3_ONLY = "hidden_norm.weight"
NESTED = "transformer_layer_config"  # where speculators describe the layer
QKV = ("q_proj", "k_proj", "v_proj")


class PublicConfig(BaseModel):
    """What is read of a head's ``config.json``."""

    model_config = ConfigDict(frozen=True)
    hidden_size: Size
    num_attention_heads: Size
    intermediate_size: Size
    num_key_value_heads: Size | None = None
    max_position_embeddings: Size | None = None
    head_dim: Size | None = None
    bias: bool | None = None  # of fc; None: as the weights have it
    qkv_bias: bool | None = None
    hidden_act: Literal["silu"] = "silu"
    rms_norm_eps: PositiveFloat = 1e-6
    rope_theta: PositiveFloat | None = None
    rope_scaling: dict[str, Any] | None = None
    rope_parameters: dict[str, Any] | None = None
    norm_before_residual: bool = False
    norm_before_fc: Literal[False] = False
    target_hidden_size: Size | None = None
    eagle_aux_hidden_state_layer_ids: tuple[NonNegativeInt, ...] | None = None

    @model_validator(mode="before")
    @classmethod
    def _flattened(cls, data: Any) -> Any:
        nested = data.get(NESTED) if isinstance(data, dict) else None
        return {**nested, **data} if isinstance(nested, dict) else data

    @property
    def rope(self) -> dict[str, Any]:
        """How rotary positions are scaled, whatever it is called."""
        return self.rope_scaling or self.rope_parameters or {}


def load_public(folder: Path, target: PreTrainedModel | KeptNetwork) -> EagleHead:
    """Read a public checkpoint (``config.json`` and one weights file) for its target.

    Raises:
        ReSpecError: if files or tensors are missing, damaged or unknown, or the head was made for another target.
    """
    path = next((folder / name for name in FILES if (folder / name).is_file()), None)
    if path is None or not (folder / "config.json").is_file():
        raise ReSpecError(f"No EAGLE checkpoint in {folder}: it needs config.json and {' or '.join(FILES)}.")
    weights = {name: tensor for name, tensor in read_tensors(path).items() if not name.endswith(DERIVED)}
    config = _config(folder / "config.json", weights, target)
    lent = cast(Tensor, target.get_input_embeddings().weight).detach()
    _check(path, weights, config, lent)
    head = EagleHead(config)
    head.load_state_dict(_state(weights, config, target))
    head.inv_freq = scaled(head.inv_freq, _public(folder / "config.json").rope, str(folder))
    head.check_vocabulary(path)
    if "t2d" in weights and weights["t2d"].nonzero().flatten().tolist() != head.draft_to_target.tolist():
        raise ReSpecError(f"{path}: d2t and t2d name different tokens; the file is damaged.")
    head = head.to(lent.device, lent.dtype).eval().requires_grad_(False)
    own = weights.get("embed_tokens.weight", lent)[: len(lent)].to(lent)
    if own.shape[1] != lent.shape[1]:
        return head.attach(torch.cat((own, own.new_zeros(len(lent) - len(own), own.shape[1]))))
    if torch.equal(own, lent[: len(own)]):
        return head.attach(lent)
    return head.attach(torch.cat((own, lent[len(own) :])))  # either may be padded beyond the tokenizer's tokens


def _public(path: Path) -> PublicConfig:
    try:
        return read_config(path, path.read_bytes(), PublicConfig)
    except OSError as error:
        raise ReSpecError(f"{path} could not be read: {reason(error)}.") from error


def _config(path: Path, weights: Mapping[str, Tensor], target: PreTrainedModel | KeptNetwork) -> EagleConfig:
    c = _public(path)
    text = target.config.get_text_config()
    layer = _layer(weights)
    layout: Layout = "eagle3" if f"{layer}{EAGLE3_ONLY}" in weights or layer == MID_LAYER else "eagle"
    n, reads_out = text.num_hidden_layers, weights.get("lm_head.weight")
    biased = any(f"{layer}self_attn.{name}.bias" in weights for name in QKV)
    reads = c.eagle_aux_hidden_state_layer_ids or (2, n // 2, n - 3)
    narrower = layout == "eagle3" and c.target_hidden_size not in (None, c.hidden_size)
    try:
        return EagleConfig(
            layout=layout,
            hidden_size=c.hidden_size,
            num_heads=c.num_attention_heads,
            num_kv_heads=c.num_key_value_heads or c.num_attention_heads,
            head_dim=c.head_dim or c.hidden_size // c.num_attention_heads,
            intermediate_size=c.intermediate_size,
            rms_norm_eps=c.rms_norm_eps,
            rope_theta=c.rope_theta or c.rope.get("rope_theta") or 10_000.0,
            feature_layers=reads if layout == "eagle3" else (-1,),
            target_vocab=_padded_like(text.vocab_size, weights.get("t2d")),
            draft_vocab=reads_out.shape[0] if layout == "eagle3" and reads_out is not None else text.vocab_size,
            join_bias=layout == "eagle" and ("fc.bias" in weights if c.bias is None else c.bias),
            qkv_bias=biased if c.qkv_bias is None else c.qkv_bias,
            context=c.max_position_embeddings,
            feature_size=c.target_hidden_size if narrower else None,
            residual_normed=c.norm_before_residual,
        )
    except (ValueError, IndexError) as error:
        raise ReSpecError(f"{path} describes no EAGLE head for this target: {reason(error)}.") from error


def _padded_like(rows: int, own: Tensor | None) -> int:
    """Rows of ``own``, made for the network the head was trained on, where they can differ from ``rows`` by padding."""
    return len(own) if own is not None and own.dim() and abs(len(own) - rows) <= MOST_PADDING else rows


def _layer(weights: Mapping[str, Tensor]) -> str:
    """What the names of the one layer begin with."""
    return MID_LAYER if any(name.startswith(MID_LAYER) for name in weights) else FIRST_LAYER


def _names(config: EagleConfig, layer: str) -> dict[str, tuple[str, ...]]:
    """Public names of what each tensor of :class:`EagleHead` is put together from, row after row."""
    three = config.layout == "eagle3"
    attention = tuple(f"{layer}self_attn.{name}" for name in QKV)
    names = {
        "qkv.weight": tuple(f"{name}.weight" for name in attention),
        "out.weight": (f"{layer}self_attn.o_proj.weight",),
        "mlp.gate_up.weight": (f"{layer}mlp.gate_proj.weight", f"{layer}mlp.up_proj.weight"),
        "mlp.down.weight": (f"{layer}mlp.down_proj.weight",),
        "mlp_norm.weight": (f"{layer}post_attention_layernorm.weight",),
        "fuse_features.weight" if three else "join.weight": ("fc.weight",),
    }
    if config.qkv_bias:
        names["qkv.bias"] = tuple(f"{name}.bias" for name in attention)
    if config.join_bias:
        names["join.bias"] = ("fc.bias",)
    if three:
        names["token_norm.weight"] = (f"{layer}input_layernorm.weight",)
        names["state_norm.weight"] = (f"{layer}hidden_norm.weight",)
        names["output_norm.weight"], names["lm_head.weight"] = ("norm.weight",), ("lm_head.weight",)
    return names


def _check(path: Path, weights: Mapping[str, Tensor], config: EagleConfig, embedding: Tensor) -> None:
    whole = shapes(path, lambda: EagleHead(config))
    q, kv = config.num_heads * config.head_dim, config.num_kv_heads * config.head_dim
    rows = {1: None, 2: (config.intermediate_size,) * 2, 3: (q, kv, kv)}
    expected: dict[str, Tensor] = {}
    for name, public in _names(config, _layer(weights)).items():
        parts = whole[name].split(rows[len(public)] or len(whole[name]))
        expected |= dict(zip(public, parts, strict=True))
    embedded = _padded_like(len(embedding), weights.get("embed_tokens.weight"))
    own = {"embed_tokens.weight": torch.empty(embedded, config.hidden_size, device="meta")}
    optional = dict(own) if config.feature_size is None else {}
    expected |= {} if config.feature_size is None else own
    if config.layout == "eagle3":
        map_is_needed = config.draft_vocab != config.target_vocab
        (expected if map_is_needed else optional)["d2t"] = whole["draft_to_target"]
        optional["t2d"] = torch.empty(config.target_vocab, dtype=torch.bool, device="meta")
    check_tensors(path, weights, expected | optional, optional)


def _state(
    weights: Mapping[str, Tensor], config: EagleConfig, target: PreTrainedModel | KeptNetwork
) -> dict[str, Tensor]:
    state = {
        name: torch.cat([weights[part] for part in public]) for name, public in _names(config, _layer(weights)).items()
    }
    state["draft_to_target"] = torch.arange(config.draft_vocab) + weights.get("d2t", 0)
    if config.layout == "eagle":
        state["lm_head.weight"] = cast(Tensor, target.get_output_embeddings().weight).detach()
    return state

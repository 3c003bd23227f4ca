"""Public EAGLE checkpoints, as their authors publish them, read into :class:`EagleHead`.

EAGLE-1/2 (arXiv 2401.15077, 2406.16858): ``fc`` and ``layers.0``; the target's output layer reads them out.
EAGLE-3 (arXiv 2503.01840): ``fc`` over three layers' features, ``midlayer``, ``norm``, ``lm_head`` over a reduced
vocabulary, ``d2t`` (target id minus draft id) and ``t2d`` (which target ids it can say).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import PreTrainedModel

from respec_core.drafters.eagle_head import EagleConfig, EagleHead, Layout
from respec_core.errors import ReSpecError

FILES = ("model.safetensors", "pytorch_model.bin")


def load_public(folder: Path, target: PreTrainedModel) -> EagleHead:
    """Read a public checkpoint (``config.json`` and one weights file) for its target.

    Raises:
        ReSpecError: if files or tensors are missing, or the head was made for another target.
    """
    weights = _read(folder)
    config = _config(folder, weights, target)
    head = EagleHead(config)
    state = _eagle3(weights, config) if config.layout == "eagle3" else _eagle(weights, target)
    wrong = [n for n, t in head.state_dict().items() if n not in state or state[n].shape != t.shape]
    if wrong:
        raise ReSpecError(f"{folder} is not an EAGLE checkpoint for this target: {wrong[0]} is missing or misshapen.")
    head.load_state_dict(state)
    embedding = cast(Tensor, target.get_input_embeddings().weight)
    return head.to(embedding.device, embedding.dtype).eval().requires_grad_(False).attach(embedding)


def _read(folder: Path) -> dict[str, Tensor]:
    path = next((folder / name for name in FILES if (folder / name).is_file()), None)
    if path is None or not (folder / "config.json").is_file():
        raise ReSpecError(f"No EAGLE checkpoint in {folder}: it needs config.json and {' or '.join(FILES)}.")
    if path.suffix == ".bin":
        return torch.load(path, map_location="cpu", weights_only=True)
    return load_file(path)


def _config(folder: Path, weights: dict[str, Tensor], target: PreTrainedModel) -> EagleConfig:
    c: dict[str, Any] = json.loads((folder / "config.json").read_text())
    rope = c.get("rope_scaling") or c.get("rope_parameters") or {}
    if rope.get("rope_type", rope.get("type", "default")) != "default":
        raise ReSpecError(f"The head in {folder} uses scaled rotary positions, which are not supported.")
    text = target.config.get_text_config()
    layout: Layout = "eagle3" if "midlayer.mlp.down_proj.weight" in weights else "eagle"
    n = text.num_hidden_layers
    if layout == "eagle" and any(name.startswith("layers.1.") for name in weights):
        raise ReSpecError(f"The head in {folder} has more than one layer, which is not supported.")
    return EagleConfig(
        layout=layout,
        hidden_size=c["hidden_size"],
        num_heads=c["num_attention_heads"],
        num_kv_heads=c.get("num_key_value_heads") or c["num_attention_heads"],
        head_dim=c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"],
        intermediate_size=c["intermediate_size"],
        rms_norm_eps=c.get("rms_norm_eps", 1e-6),
        rope_theta=c.get("rope_theta") or rope.get("rope_theta") or 10_000.0,
        feature_layers=(2, n // 2, n - 3) if layout == "eagle3" else (-1,),
        target_vocab=text.vocab_size,
        draft_vocab=len(weights["lm_head.weight"]) if layout == "eagle3" else text.vocab_size,
        join_bias="fc.bias" in weights,
    )


def _layer(weights: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    def rows(*names: str) -> Tensor:
        found = [weights[f"{prefix}{name}.weight"] for name in names if f"{prefix}{name}.weight" in weights]
        return torch.cat(found) if found else torch.zeros(0, 0)

    return {
        "qkv.weight": rows("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
        "out.weight": rows("self_attn.o_proj"),
        "mlp.gate_up.weight": rows("mlp.gate_proj", "mlp.up_proj"),
        "mlp.down.weight": rows("mlp.down_proj"),
        "mlp_norm.weight": rows("post_attention_layernorm"),
    }


def _eagle(weights: dict[str, Tensor], target: PreTrainedModel) -> dict[str, Tensor]:
    output = cast(Tensor, target.get_output_embeddings().weight).detach()
    state = {
        **_layer(weights, "layers.0."),
        "join.weight": weights["fc.weight"],
        "lm_head.weight": output,
        "draft_to_target": torch.arange(len(output)),
    }
    return {**state, "join.bias": weights["fc.bias"]} if "fc.bias" in weights else state


def _eagle3(weights: dict[str, Tensor], config: EagleConfig) -> dict[str, Tensor]:
    ids = torch.arange(config.draft_vocab)
    return {
        **_layer(weights, "midlayer."),
        "fuse_features.weight": weights["fc.weight"],
        "token_norm.weight": weights["midlayer.input_layernorm.weight"],
        "state_norm.weight": weights["midlayer.hidden_norm.weight"],
        "output_norm.weight": weights["norm.weight"],
        "lm_head.weight": weights["lm_head.weight"],
        "draft_to_target": ids + weights["d2t"] if "d2t" in weights else ids,
    }

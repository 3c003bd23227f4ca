"""EAGLE written out for tests: one layer over whole sequences, no cache, and EAGLE-2's draft as its paper tells it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor

H, HEADS, KV, D, INNER, VOCAB, DRAFT, THETA, EPS = 32, 4, 2, 8, 48, 90, 40, 5000.0, 1e-5
Tokens = tuple[int, ...]


def norm(x: Tensor, weight: Tensor) -> Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPS) * weight


def rope(x: Tensor, positions: Tensor) -> Tensor:
    """Rotary positions the way transformers writes them: ``x [heads, n, d]``."""
    angle = positions[:, None] / THETA ** (torch.arange(0, D, 2) / D)
    cos, sin = torch.cat((angle, angle), -1).cos(), torch.cat((angle, angle), -1).sin()
    half = D // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


def decoder_layer(w: dict[str, Tensor], prefix: str, residual: Tensor, x: Tensor) -> Tensor:
    """One Llama layer over a whole sequence, written out; ``x [n, width]`` is what attention reads."""
    n = len(x)
    projected = {p: x @ w[f"{prefix}self_attn.{p}_proj.weight"].T for p in "qkv"}
    biased = {p: y + w.get(f"{prefix}self_attn.{p}_proj.bias", torch.zeros(())) for p, y in projected.items()}
    q, k, v = (y.view(n, -1, D).transpose(0, 1) for y in biased.values())
    positions = torch.arange(n)
    q, k = rope(q, positions), rope(k, positions)
    k, v = k.repeat_interleave(HEADS // KV, 0), v.repeat_interleave(HEADS // KV, 0)
    scores = q @ k.transpose(1, 2) / D**0.5
    scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))
    attended = (scores.softmax(-1) @ v).transpose(0, 1).reshape(n, -1)
    x = residual + attended @ w[f"{prefix}self_attn.o_proj.weight"].T
    y = norm(x, w[f"{prefix}post_attention_layernorm.weight"])
    gate, up = (y @ w[f"{prefix}mlp.{p}_proj.weight"].T for p in ("gate", "up"))
    return x + (F.silu(gate) * up) @ w[f"{prefix}mlp.down_proj.weight"].T


def layer_weights(prefix: str, width: int) -> dict[str, Tensor]:
    shapes = {
        "self_attn.q_proj": (HEADS * D, width), "self_attn.k_proj": (KV * D, width), "self_attn.v_proj": (KV * D, width),
        "self_attn.o_proj": (H, HEADS * D), "mlp.gate_proj": (INNER, H), "mlp.up_proj": (INNER, H),
        "mlp.down_proj": (H, INNER), "post_attention_layernorm": (H,),
    }  # fmt: skip
    return {f"{prefix}{name}.weight": torch.randn(shape) * 0.3 for name, shape in shapes.items()}


def write(folder: Path, weights: dict[str, Tensor], **extra: object) -> None:
    config = {
        "hidden_size": H, "num_attention_heads": HEADS, "num_key_value_heads": KV, "intermediate_size": INNER,
        "rms_norm_eps": EPS, "rope_theta": THETA, "vocab_size": VOCAB, "num_hidden_layers": 1, **extra,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    save_file(weights, folder / "model.safetensors")


def eagle_weights(biases: str) -> dict[str, Tensor]:
    """An EAGLE-2 head: biases on ``fc``, on queries, keys and values (``qkv``), on ``both``, or ``none``."""
    w = {**layer_weights("layers.0.", H), "fc.weight": torch.randn(H, 2 * H) * 0.2}
    if biases in ("fc", "both"):
        w["fc.bias"] = torch.randn(H)
    if biases in ("qkv", "both"):
        w |= {
            f"layers.0.self_attn.{p}_proj.bias": torch.randn(n * D) for p, n in zip("qkv", (HEADS, KV, KV), strict=True)
        }
    return w


def eagle3_weights(width: int = H) -> dict[str, Tensor]:
    """An EAGLE-3 head for a target of this width, over a reduced vocabulary."""
    said = torch.randperm(VOCAB)[:DRAFT].sort().values
    allowed = torch.zeros(VOCAB, dtype=torch.bool)
    allowed[said] = True
    return {
        **layer_weights("midlayer.", 2 * H),
        "midlayer.input_layernorm.weight": torch.rand(H) + 0.5,
        "midlayer.hidden_norm.weight": torch.rand(H) + 0.5,
        "norm.weight": torch.rand(H) + 0.5,
        "fc.weight": torch.randn(H, 3 * width) * 0.2,
        "lm_head.weight": torch.randn(DRAFT, H),
        "d2t": said - torch.arange(DRAFT),
        "t2d": allowed,
    }


def write_speculators(
    folder: Path, weights: dict[str, Tensor], embedding: Tensor, layers: list[int], width: int
) -> None:
    """An EAGLE-3 head as vLLM's speculators write it: the layer's config nested, the residual behind its norm."""
    named = {name.replace("midlayer.", "layers.0."): tensor for name, tensor in weights.items()}
    write(folder, {**named, "embed_tokens.weight": embedding})
    layer = json.loads((folder / "config.json").read_text())
    spoken = {"speculators_model_type": "eagle3", "draft_vocab_size": DRAFT, "transformer_layer_config": layer}
    chosen = {"norm_before_residual": True, "eagle_aux_hidden_state_layer_ids": layers, "target_hidden_size": width}
    (folder / "config.json").write_text(json.dumps(spoken | chosen))


def states(w: dict[str, Tensor], features: Tensor, tokens: Tensor, embedding: Tensor) -> Tensor:
    """States ``[n, H]`` of rows that pair feature i with the token behind it."""
    x = F.linear(torch.cat((embedding[tokens], features), -1), w["fc.weight"], w.get("fc.bias"))
    return decoder_layer(w, "layers.0.", x, x)


def eagle3_states(
    w: dict[str, Tensor], fused: Tensor, tokens: Tensor, embedding: Tensor, normed: bool = False
) -> Tensor:
    """The same for EAGLE-3 (arXiv 2503.01840), from features behind ``fc``; ``normed``: the residual is behind its norm."""
    hidden = norm(fused, w["midlayer.hidden_norm.weight"])
    token = norm(embedding[tokens], w["midlayer.input_layernorm.weight"])
    return decoder_layer(w, "midlayer.", hidden if normed else fused, torch.cat((token, hidden), -1))


def eagle3_logits(w: dict[str, Tensor], state: Tensor) -> Tensor:
    """Over the target's vocabulary; what the head cannot say has none."""
    said = torch.arange(DRAFT) + w["d2t"]
    logits = torch.full((*state.shape[:-1], VOCAB), float("-inf"))
    logits[..., said] = norm(state, w["norm.weight"]) @ w["lm_head.weight"].T
    return logits


def draft(
    reads: Callable[[Tensor, Tensor], Tensor],
    says: Callable[[Tensor], Tensor],
    features: Tensor,
    ids: list[int],
    size: tuple[int, int, int],
) -> dict[Tokens, float]:
    """EAGLE-2 (arXiv 2406.16858 §4): log path probability of every node that is verified, by its tokens from the root.

    Args:
        reads: states ``[n, H]`` of features and the tokens behind them.
        says: a state's logits.
        features: the target's, of all of ``ids`` but the last ``[len(ids) - 1, H]``.
        size: (nodes with the root, levels, children a node and nodes expanded a level).
    """
    total, levels, top_k = size
    value: dict[Tokens, float] = {(): 0.0}
    frontier: list[Tokens] = [()]
    for _ in range(levels):
        level: dict[Tokens, float] = {}
        for path in frontier:
            f, tokens = features, ids[1:]
            for token in path:  # every drafted row reads the state of the one above as its feature
                f = torch.cat((f, reads(f, torch.tensor(tokens))[-1:]))
                tokens = [*tokens, token]
            best = says(reads(f, torch.tensor(tokens))[-1]).log_softmax(-1).topk(top_k)
            for log_p, token in zip(best.values.tolist(), best.indices.tolist(), strict=True):
                level[*path, token] = value[path] + log_p
        value |= level
        frontier = sorted(level, key=lambda path: -level[path])[:top_k]
    del value[()]
    return {path: value[path] for path in sorted(value, key=lambda path: (-value[path], len(path)))[: total - 1]}

"""What can be said of a target before its first forward: whether a draft tree can be verified in it, and how far it reads."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from torch import nn

from respec_core.errors import ReSpecError

RECURRENT = ("ssm_cfg", "state_size", "attention_hidden_size")  # settings that only recurrent models have


def refuse_unsupported(config: Any, name: str) -> None:
    """Raise for architectures whose cache cannot be rolled back row by row, or that read no positions.

    Raises:
        ReSpecError: encoder-decoders, ALiBi, and recurrent, convolutional, chunked or mixed-window layers.
    """
    if getattr(config, "is_encoder_decoder", False):
        raise ReSpecError(f"{name} is an encoder-decoder; only decoder-only language models can be verified as a tree.")
    text = config.get_text_config()
    kinds = set(getattr(text, "layer_types", None) or [])
    odd = kinds - {"full_attention", "sliding_attention"}
    if odd or any(hasattr(text, mark) for mark in RECURRENT):
        what = ", ".join(sorted(odd)) or "recurrent"
        raise ReSpecError(
            f"{name} has {what} layers, whose state cannot be rolled back to an accepted draft; choose a full-attention model."
        )
    if getattr(text, "alibi", False):
        raise _no_positions(name)


def refuse_without_positions(network: nn.Module, name: str) -> None:
    """Raise for networks that count their input instead of reading positions (Bloom, MPT): siblings share a position.

    Raises:
        ReSpecError: if the forward takes no ``position_ids``.
    """
    if "position_ids" not in inspect.signature(type(network).forward).parameters:
        raise _no_positions(name)


def _no_positions(name: str) -> ReSpecError:
    return ReSpecError(
        f"{name} takes no token positions (as models with ALiBi do), which the branches of a draft tree need; "
        "choose a model with rotary or learned positions."
    )


def context_limit(config: Any, name: str) -> int:
    """Most tokens a run may hold so that every forward, however far its draft reaches, treats earlier tokens alike.

    That is the trained length, a sliding window where layers have one (the cache then never has to forget), and the
    length at which longrope (arXiv 2402.13753) switches the rotary frequencies of all positions. Dynamic NTK frequencies
    change beyond the trained length only.

    Raises:
        ReSpecError: if the configuration names no length.
    """
    text = config.get_text_config()
    trained = getattr(text, "max_position_embeddings", None)
    if not isinstance(trained, int) or trained < 1:
        raise ReSpecError(
            f"{name} does not say how many tokens it reads (max_position_embeddings in its config.json); "
            "choose a model that does."
        )
    return min([trained, *_windows(text), *_rotary_switches(text)])


def _windows(text: Any) -> Iterator[int]:
    kinds = getattr(text, "layer_types", None)
    slides = "sliding_attention" in kinds if kinds else getattr(text, "use_sliding_window", True)
    if slides and (window := getattr(text, "sliding_window", None)):
        yield window
    if "local" in (getattr(text, "attention_layers", None) or ()):  # GPT-Neo's name for it
        yield text.window_size


def _rotary_switches(text: Any) -> Iterator[int]:
    rope = getattr(text, "rope_parameters", None) or {}
    by_layer_type = [part for part in rope.values() if isinstance(part, Mapping)]
    for part in by_layer_type or [rope]:
        if part.get("rope_type") == "longrope" and (switch := part.get("original_max_position_embeddings")):
            yield switch

"""Random Llamas in the shapes of well-known ones: what a forward costs does not depend on the numbers in it."""

from __future__ import annotations

from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM

from respec_core.models.language_model import LanguageModel
from respec_core.models.precision import DTYPES

CONTEXT = 8192
SHAPES: dict[str, dict[str, Any]] = {
    "tiny": {  # to try a command
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "vocab_size": 96,
    },
    "llama-1b": {
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 64,
        "vocab_size": 128_256,
        "tie_word_embeddings": True,
    },
    "llama-8b": {
        "hidden_size": 4096,
        "intermediate_size": 14_336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "vocab_size": 128_256,
    },
}


def random_llama(shape: str, device: str, dtype: str) -> LanguageModel:
    """One of ``SHAPES`` without a tokenizer, in ``dtype`` (``fp32``, ``bf16``, ``fp16``), made on ``device``."""
    config = AutoConfig.for_model("llama", max_position_embeddings=CONTEXT, rope_theta=5e5, **SHAPES[shape])
    with torch.device(device):
        network = AutoModelForCausalLM.from_config(config, dtype=DTYPES[dtype])
    return LanguageModel(network, name=shape, origin="random")

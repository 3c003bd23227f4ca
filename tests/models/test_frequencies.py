"""Rotary positions are those of transformers, to the last bit."""

from __future__ import annotations

import pytest
import torch
from test_lean_forward import ROPES
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from respec_core.models.lean.frequencies import turns_of


@pytest.mark.parametrize("rope", [{}, *ROPES.values()], ids=["default", *ROPES])
@pytest.mark.parametrize("head_dim", [None, 16])
def test_turns_are_those_of_transformers(rope, head_dim):
    scaled = {"rope_parameters": {"rope_theta": 10_000.0, **rope}} if rope else {}
    config = LlamaConfig(
        hidden_size=64, num_attention_heads=4, head_dim=head_dim, max_position_embeddings=128, **scaled
    )
    theirs, ours = LlamaRotaryEmbedding(config), turns_of(config, torch.device("cpu"))
    for positions in (torch.arange(0, 100), torch.arange(100, 128), torch.arange(128, 200)):
        for found, wanted in zip(ours(positions), theirs(torch.empty(0), positions[None]), strict=True):
            assert torch.equal(found, wanted[0, :, : found.shape[1]])

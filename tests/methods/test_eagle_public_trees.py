"""Public EAGLE heads, biased and not: every tree of a run is the reference's, node for node (arXiv 2406.16858)."""

from __future__ import annotations

import math

import pytest
import torch
from eagle_reference import HEADS, INNER, KV, VOCAB, H, draft, eagle_weights, write
from transformers import LlamaConfig, LlamaForCausalLM

from respec_core.engine.decoding import Request
from respec_core.methods.eagle.public_checkpoints import load_public
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models.language_model import LanguageModel

PROMPT = [5, 17, 33, 2, 71, 8, 44]
SIZE = TOTAL, LEVELS, TOP_K = 14, 4, 3


@pytest.fixture(scope="module")
def target() -> LanguageModel:
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=H, num_attention_heads=HEADS, num_key_value_heads=KV, intermediate_size=INNER, vocab_size=VOCAB,
        num_hidden_layers=2, tie_word_embeddings=False, initializer_range=0.1, eos_token_id=None,
    )  # fmt: skip
    return LanguageModel(LlamaForCausalLM(config).eval())


@pytest.mark.parametrize("suffix", ["safetensors", "bin"])
@pytest.mark.parametrize("biases", ["none", "fc", "qkv", "both"])
def test_every_tree_is_the_references_node_for_node(target, tmp_path, biases, suffix):
    torch.manual_seed(3)
    w = eagle_weights(biases)
    write(tmp_path, w)
    if suffix == "bin":
        (tmp_path / "model.safetensors").unlink()
        torch.save(w, tmp_path / "pytorch_model.bin")
    models = Models(target, load_public(tmp_path, target.network))
    values = {"max_new_tokens": 20, "total_tokens": TOTAL, "depth": LEVELS - 1, "top_k": TOP_K, "budget": "own"}
    run = complete(Request(find_method("eagle2").configure(values), tuple(PROMPT)), models)
    embedding = target.network.get_input_embeddings().weight.detach()
    output = target.network.get_output_embeddings().weight.detach()
    text = PROMPT + list(run.output_ids)
    with torch.no_grad():
        hidden = target.network(torch.tensor([text]), output_hidden_states=True).hidden_states[-1][0]
    compared = 0
    for step in run.steps:
        ids = text[: step.ctx_len]
        levels = min(LEVELS, len(text) - len(ids) - 1)
        if levels < 1:
            continue
        expected = draft(w, hidden[: len(ids) - 1], ids, embedding, output, (TOTAL, levels, TOP_K))
        found: dict[int, tuple[int, ...]] = {0: ()}
        scores = {}
        for node in step.trees.final[1:]:
            found[node.id] = (*found[node.parent], node.token)
            scores[found[node.id]] = node.path_score
        assert set(scores) == set(expected)
        for path, log_p in expected.items():
            assert scores[path] == pytest.approx(math.exp(log_p), rel=1e-3)
        compared += 1
    assert compared >= 3

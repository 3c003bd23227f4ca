"""Public EAGLE heads of every layout: each tree of a run is the reference's, node for node (arXiv 2406.16858)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from eagle_reference import (
    HEADS,
    INNER,
    KV,
    VOCAB,
    H,
    draft,
    eagle3_logits,
    eagle3_states,
    eagle3_weights,
    eagle_weights,
    states,
    write,
    write_speculators,
)
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from respec_core.engine.decoding import Request
from respec_core.methods.eagle.public_checkpoints import load_public
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models.language_model import LanguageModel

PROMPT = [5, 17, 33, 2, 71, 8, 44]
SIZE = TOTAL, LEVELS, TOP_K = 14, 4, 3
Reading = tuple[Callable[[Tensor, Tensor], Tensor], Callable[[Tensor], Tensor], Callable[[tuple[Tensor, ...]], Tensor]]


def target_of(width: int, tied: bool = False) -> LanguageModel:
    torch.manual_seed(0)
    config = LlamaConfig(
        hidden_size=width, num_attention_heads=HEADS, num_key_value_heads=KV, intermediate_size=INNER, vocab_size=VOCAB,
        num_hidden_layers=4, tie_word_embeddings=tied, initializer_range=0.1, eos_token_id=None,
    )  # fmt: skip
    return LanguageModel(LlamaForCausalLM(config).eval())


def eagle2(folder: Path, target: LanguageModel, biases: str, pickled: bool) -> Reading:
    """Written to ``folder``; how it reads, what it says, and the features it reads, of a target's hidden states."""
    w = eagle_weights(biases)
    write(folder, w)
    if pickled:
        (folder / "model.safetensors").unlink()
        torch.save(w, folder / "pytorch_model.bin")
    lent = target.network.get_input_embeddings().weight.detach()
    output = target.network.get_output_embeddings().weight.detach()
    return partial(states, w, embedding=lent), lambda state: state @ output.T, lambda hidden: hidden[-1]


def eagle3(folder: Path, target: LanguageModel, speculators: bool) -> Reading:
    """The same; where speculators wrote it, it may be narrower than the target."""
    width, lent = target.embedding.shape[1], target.embedding.detach()
    w, layers, own = eagle3_weights(width), [2, 2, 1], lent
    if speculators:
        layers, own = [1, 2, 3], torch.randn(VOCAB, H)
        write_speculators(folder, w, own, layers, width)
    else:
        write(folder, w)

    def fused(hidden: tuple[Tensor, ...]) -> Tensor:
        return torch.cat([hidden[i] for i in layers], -1) @ w["fc.weight"].T

    return partial(eagle3_states, w, embedding=own, normed=speculators), partial(eagle3_logits, w), fused


@pytest.mark.parametrize(
    ("made", "width", "tied"),
    [
        (partial(eagle2, biases="none", pickled=False), H, True),
        (partial(eagle2, biases="fc", pickled=True), H, False),
        (partial(eagle2, biases="qkv", pickled=False), H, False),
        (partial(eagle2, biases="both", pickled=True), H, False),
        (partial(eagle3, speculators=False), H, True),
        (partial(eagle3, speculators=True), 2 * H, False),
    ],
    ids=[
        "tied",
        "fc biased, pickled",
        "qkv biased, as for Qwen2",
        "both biased",
        "eagle3, tied",
        "speculators, narrower",
    ],
)
def test_every_tree_is_the_references_node_for_node(tmp_path, made, width, tied):
    target = target_of(width, tied)
    torch.manual_seed(3)
    reads, says, features_of = made(tmp_path, target)
    models = Models(target, load_public(tmp_path, target.network))
    values = {"max_new_tokens": 20, "total_tokens": TOTAL, "depth": LEVELS - 1, "top_k": TOP_K, "budget": "own"}
    run = complete(Request(find_method("eagle2").configure(values), tuple(PROMPT)), models)
    text = PROMPT + list(run.output_ids)
    with torch.no_grad():
        hidden = target.network(torch.tensor([text]), output_hidden_states=True).hidden_states
        features = features_of(tuple(layer[0] for layer in hidden))
    compared = 0
    for step in run.steps:
        ids = text[: step.ctx_len]
        levels = min(LEVELS, len(text) - len(ids) - 1)
        if levels < 1:
            continue
        with torch.no_grad():
            expected = draft(reads, says, features[: len(ids) - 1], ids, (TOTAL, levels, TOP_K))
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

"""What training says a head's drafts are worth is what runs accept, position by position, however the output layer is kept."""

from __future__ import annotations

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from respec_core.engine.decoding import Request
from respec_core.methods.parts.written_texts import Text
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models.language_model import LanguageModel
from respec_core.trace.cost_curve import CostCurve
from respec_core.training.acceptance import measure
from respec_core.training.eagle_training import new_head
from respec_core.training.lean import LeanLlama

VOCAB, SAYS, DEPTH, TOKENS = 10, 8, 3, 40


@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
def test_the_acceptance_of_runs_is_training_s_own(tied: bool) -> None:
    torch.manual_seed(2)
    config = LlamaConfig(
        hidden_size=32, num_attention_heads=4, num_key_value_heads=2, intermediate_size=48, vocab_size=VOCAB,
        num_hidden_layers=2, tie_word_embeddings=tied, eos_token_id=None, initializer_range=0.2,
    )  # fmt: skip
    network = LlamaForCausalLM(config).eval()
    own = [network.get_input_embeddings().weight.data_ptr(), network.get_output_embeddings().weight.data_ptr()]
    assert (own[0] == own[1]) == tied
    lean, target = LeanLlama(network, torch.float32, "cpu"), LanguageModel(network, None, name="tiny")
    target.costs = CostCurve(((1, 1.0), (8, 2.0)))
    head = new_head(lean, torch.arange(SAYS), (0, 1, -1), DEPTH).eval().requires_grad_(False)
    chain = {"top_k": 1, "depth": DEPTH - 1, "total_tokens": DEPTH + 1, "budget": "own", "max_new_tokens": TOKENS}
    texts, accepted = [], []
    for prompt in torch.randint(0, VOCAB, (6, 9)).tolist():
        run = complete(Request(find_method("eagle2").configure(chain), tuple(prompt)), Models(target, head))
        text = (*prompt, *run.output_ids)
        for step in run.steps:
            if step.ctx_len + DEPTH < len(text):  # later drafts are cut at the limit
                assert len(step.trees.final) == DEPTH + 1
                texts.append(Text(text, step.ctx_len, "k", 0))  # its first draft is this round's
                accepted.append(step.commit.n_accepted)
    found = measure(lean, head, texts, DEPTH, 512).opening
    assert found is not None
    assert found.right["k"] == [sum(n > depth for n in accepted) for depth in range(DEPTH)]
    assert len(accepted) > found.right["k"][0] > found.right["k"][-1] > 0

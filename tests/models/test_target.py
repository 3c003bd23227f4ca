"""Target, session and cache on tiny random models of each family: a tree is its paths."""

from __future__ import annotations

import pytest
import torch
from tiny import DEVICE, FAMILIES, tiny_model, tiny_network
from transformers import AutoConfig, AutoModelForCausalLM

from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.models.exactness import check_exactness
from respec_core.models.language_model import LanguageModel
from respec_core.models.support import refuse_unsupported

PROMPT = [3, 1, 4, 1, 5, 9, 2, 6]
TREE = (
    DraftTree.chain(7, [11, 12, 13], "x")
    .merge(DraftTree.chain(7, [11, 22, 23], "x"))
    .merge(DraftTree.chain(7, [31], "x"))
)


def plain(model: LanguageModel, ids: list[int]) -> torch.Tensor:
    with torch.inference_mode():
        return model.network(input_ids=torch.tensor([ids], device=DEVICE), use_cache=False).logits[0, -1]


def started(model: LanguageModel, capacity: int = 64, chunk: int = 512):
    session = model.session(capacity)
    for _ in session.prefill(PROMPT, chunk):
        pass
    return session


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("chunk", [3, 512])
def test_every_branch_sees_what_its_chain_sees(family, chunk):
    model = tiny_model(family)
    logits = started(model, chunk=chunk).forward(TREE).logits
    for node in range(len(TREE)):
        path = [TREE.tokens[i] for i in TREE.path(node)]
        assert torch.allclose(logits[node], plain(model, [*PROMPT, 7, *path]), atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("node", range(7))
def test_only_the_accepted_path_stays_in_the_cache(family, node):
    model = tiny_model(family)
    session = started(model)
    session.forward(TREE)
    path = TREE.path(node) if node < len(TREE) else ()
    session.keep([0, *path])
    committed = [*PROMPT, 7, *(TREE.tokens[i] for i in path)]
    assert session.length == len(committed)
    assert torch.allclose(session.forward(DraftTree.root(40)).logits[0], plain(model, [*committed, 40]), atol=1e-4)


def test_cache_grows_when_it_was_made_too_small():
    model = tiny_model()
    session = started(model, capacity=2)
    for token in range(20):
        session.forward(DraftTree.root(token))
        session.keep([0])
    assert torch.allclose(
        session.forward(DraftTree.root(1)).logits[0], plain(model, [*PROMPT, *range(20), 1]), atol=1e-4
    )


def test_crop_rolls_back_and_takes_negative_numbers_only():
    model = tiny_model()
    session = started(model)
    session.cache.crop(-3)
    assert torch.allclose(session.forward(DraftTree.root(9)).logits[0], plain(model, [*PROMPT[:-3], 9]), atol=1e-4)
    with pytest.raises(ValueError, match="negative"):
        session.cache.crop(3)


def test_hidden_states_are_those_of_the_layers_asked_for():
    model = tiny_model()
    session = model.session(64, layers=(1, -1))
    for _ in session.prefill(PROMPT):
        pass
    hidden = session.forward(TREE).hidden
    with torch.inference_mode():
        truth = model.network(
            input_ids=torch.tensor([[*PROMPT, 7]], device=DEVICE), output_hidden_states=True
        ).hidden_states
    for layer in (1, -1):
        assert hidden[layer].shape == (len(TREE), 64)
        assert torch.allclose(hidden[layer][0], truth[layer][0, -1], atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_exactness_check_passes_full_attention(family):
    check_exactness(tiny_model(family))


def test_sliding_window_is_never_outgrown():
    network = tiny_network("mistral")
    network.config.sliding_window = 48
    assert LanguageModel(network).max_context == 48


def test_models_that_ignore_the_mask_are_refused():
    network = tiny_network()
    original = network.forward
    network.forward = lambda **kwargs: original(**{**kwargs, "attention_mask": None})
    with pytest.raises(ReSpecError, match="could not be trusted"):
        check_exactness(LanguageModel(network))


def test_recurrent_models_are_refused():
    config = AutoConfig.for_model("mamba", vocab_size=32, hidden_size=16, num_hidden_layers=1, state_size=4)
    network = AutoModelForCausalLM.from_config(config)
    with pytest.raises(ReSpecError, match="rolled back"):
        LanguageModel(network)


def test_encoder_decoders_are_refused():
    with pytest.raises(ReSpecError, match="encoder-decoder"):
        refuse_unsupported(AutoConfig.for_model("t5", vocab_size=32, d_model=16), "t5")

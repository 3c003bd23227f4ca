"""The lean forward is the network's own: every family and rotary kind, layer by layer, in prompts and draft trees."""

from __future__ import annotations

import pytest
import torch
from tiny import DEVICE, FAMILIES, VOCAB, tiny_network
from transformers import AutoConfig, AutoModelForCausalLM

from respec_core.engine.tree import DraftTree
from respec_core.models.language_model import LanguageModel
from respec_core.models.lean.session import LeanSession
from respec_core.models.session import Session

LAYERS = (0, 1, 2, -1)
TREE = DraftTree.chain(3, [4, 5], "x").merge(DraftTree.chain(3, [6, 7, 8], "x"))
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
LONGROPE = {"rope_type": "longrope", "short_factor": [1.5] * 8, "long_factor": [4.0] * 8, "factor": 4.0}
ROPES = {
    "linear": {"rope_type": "linear", "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "factor": 4.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32},
    "llama3": LLAMA3,
    "longrope": {**LONGROPE, "original_max_position_embeddings": 64},
}


def random_model(family: str = "llama", **settings) -> LanguageModel:
    """A random decoder whose norms and biases are no ones and zeros, which would hide that they are left out."""
    torch.manual_seed(0)
    size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "vocab_size": VOCAB}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}
    ends = dict.fromkeys(("eos_token_id", "bos_token_id", "pad_token_id"))
    config = AutoConfig.for_model(family, **{**size, **heads, **ends, "max_position_embeddings": 128, **settings})
    network = AutoModelForCausalLM.from_config(config).to(DEVICE)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if "norm" in name or "bias" in name:
                weight.add_(torch.randn_like(weight) * 0.3)
    return LanguageModel(network)


def assert_same_as_transformers(model: LanguageModel) -> None:
    """Prompt in chunks, a tree, its compaction, and the tree behind it."""
    lean, theirs = model.session(16, LAYERS), Session(model, 16, LAYERS)
    assert isinstance(lean, LeanSession)
    ids = [(7 * i) % VOCAB for i in range(20)]
    for (fed, ours), (also, true) in zip(lean.prefill(ids, chunk=7), theirs.prefill(ids, chunk=7), strict=True):
        assert fed == also
        for layer in LAYERS:
            torch.testing.assert_close(ours[layer], true[layer], rtol=1e-4, atol=1e-4)
    for kept in ([0, 3, 4], [0]):
        ours, true = lean.forward(TREE), theirs.forward(TREE)
        torch.testing.assert_close(ours.logits, true.logits, rtol=1e-4, atol=1e-4)
        for layer in LAYERS:
            torch.testing.assert_close(ours.hidden[layer], true.hidden[layer], rtol=1e-4, atol=1e-4)
        lean.keep(kept)
        theirs.keep(kept)
    assert lean.length == theirs.length == 24


@pytest.mark.parametrize("tied", [False, True], ids=["own head", "tied"])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_layer_by_layer(family, tied):
    assert_same_as_transformers(random_model(family, tie_word_embeddings=tied))


@pytest.mark.parametrize("kind", ROPES)
def test_every_rotary_kind(kind):
    assert_same_as_transformers(random_model(rope_parameters={"rope_theta": 1e4, **ROPES[kind]}))


@pytest.mark.parametrize(
    "settings",
    [
        {"attention_bias": True, "mlp_bias": True},
        {"num_key_value_heads": 4},
        {"num_key_value_heads": 1},
        {"head_dim": 32},
        {"attn_implementation": "eager"},
    ],
    ids=str,
)
def test_what_checkpoints_of_one_family_differ_in(settings):
    assert_same_as_transformers(random_model(**settings))


def test_a_window_ends_the_context_before_it_matters():
    model = random_model("mistral", sliding_window=40)
    assert model.max_context == 40
    assert_same_as_transformers(model)


def test_bf16_is_as_near_to_fp32_as_transformers_is():
    exact = random_model()
    ids = [(5 * i) % VOCAB for i in range(16)]
    rounded = LanguageModel(tiny_network().to(torch.bfloat16))
    rounded.network.load_state_dict({name: t.bfloat16() for name, t in exact.network.state_dict().items()})
    logits = []
    for session in (exact.session(16), rounded.session(16), Session(rounded, 16)):
        for _ in session.prefill(ids):
            pass
        logits.append(session.forward(TREE).logits)
    truth, ours, theirs = logits
    assert float((ours - truth).abs().mean()) <= 1.5 * float((theirs - truth).abs().mean())


def test_the_network_goes_on_working_and_holds_its_weights_once():
    model = random_model("qwen2")
    ids = torch.arange(8, device=DEVICE)[None]
    with torch.inference_mode():
        before = model.network(ids).logits
        assert model.lean is not None
        torch.testing.assert_close(model.network(ids).logits, before, rtol=0, atol=0)
    mlp = model.network.model.layers[0].mlp
    assert mlp.up_proj.weight.untyped_storage().data_ptr() == mlp.gate_proj.weight.untyped_storage().data_ptr()


@pytest.mark.parametrize(
    ("family", "settings", "why"),
    [
        ("gemma2", {}, "architecture is gemma2"),
        ("llama", {"hidden_act": "gelu"}, "activation is gelu"),
        ("phi3", {}, "architecture is phi3"),
    ],
)
def test_others_run_through_transformers_and_it_is_said_why(family, settings, why):
    model = random_model(family, **settings)
    assert why in str(model.why_not_lean)
    assert isinstance(model.session(8), Session)


def test_the_cache_grows_when_a_run_is_longer_than_its_room():
    model = random_model()
    ids = [(3 * i) % VOCAB for i in range(60)]
    sessions = [model.session(4), model.session(128)]
    for session in sessions:
        for _ in session.prefill(ids, chunk=16):
            pass
    small, large = (session.forward(TREE).logits for session in sessions)
    assert torch.equal(small, large)

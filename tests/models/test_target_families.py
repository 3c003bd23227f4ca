"""What architectures differ in: scaled rotary positions, attention written out, windows, and who is refused in one line."""

from __future__ import annotations

import pytest
import torch
from tiny import DEVICE, VOCAB, tiny_network
from transformers import AutoConfig, AutoModelForCausalLM

from respec_core.engine.decoding import Request
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models.exactness import check_exactness
from respec_core.models.language_model import LanguageModel

TRAINED, SWITCH = 128, 48
FACTORS = {"short_factor": [1.0] * 8, "long_factor": [4.0] * 8}
LONGROPE = {"type": "longrope", **FACTORS, "original_max_position_embeddings": SWITCH}
LLAMA3 = {"factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": SWITCH}
YARN = {"rope_type": "yarn", "factor": TRAINED / SWITCH, "original_max_position_embeddings": SWITCH}
# family, settings, how far a run may go
ROTARY = {
    "phi3 longrope": ("phi3", {"original_max_position_embeddings": SWITCH, "rope_scaling": LONGROPE}, SWITCH),
    "llama longrope": ("llama", {"rope_scaling": LONGROPE}, SWITCH),
    "llama dynamic": ("llama", {"rope_scaling": {"type": "dynamic", "factor": 4.0}}, TRAINED),
    "llama linear": ("llama", {"rope_scaling": {"type": "linear", "factor": 4.0}}, TRAINED),
    "llama yarn": ("llama", {"rope_scaling": YARN}, TRAINED),
    "llama llama3": ("llama", {"rope_scaling": {"rope_type": "llama3", **LLAMA3}}, TRAINED),
}
LENGTH_DEPENDENT = ("phi3 longrope", "llama longrope", "llama dynamic")
SLIDES = {"sliding_window": 32, "layer_types": ["sliding_attention", "full_attention"]}
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
EAGER = {
    "llama": ({"attn_implementation": "eager"}, TRAINED),
    "gemma2": ({**SLIDES, "attn_logit_softcapping": 5.0, "final_logit_softcapping": 10.0}, 32),
    "gpt_oss": ({**SLIDES, **EXPERTS, "head_dim": 16}, 32),
}
GPT_NEO = {"num_layers": 2, "attention_types": [[["global", "local"], 1]], "window_size": 40}


def network(family: str, **settings):
    """A random decoder of two layers; settings of the family on top."""
    torch.manual_seed(0)
    attention = settings.pop("attn_implementation", None)
    size = {"hidden_size": 64, "max_position_embeddings": TRAINED, "initializer_range": 0.25, "vocab_size": VOCAB}
    layers = {} if "num_layers" in settings else {"num_hidden_layers": 2, "num_attention_heads": 4}
    if family != "gpt_neo":
        layers |= {"intermediate_size": 128, "num_key_value_heads": 2}
    no_ends = dict.fromkeys(("eos_token_id", "bos_token_id", "pad_token_id"))
    config = AutoConfig.for_model(family, **size, **layers, **no_ends, **settings)
    return AutoModelForCausalLM.from_config(config, attn_implementation=attention).to(DEVICE)


def without_cache(model: LanguageModel, ids: list[int], count: int) -> list[int]:
    """Greedy continuation in which every token comes from a fresh forward over all of the text."""
    text = list(ids)
    for _ in range(count):
        with torch.inference_mode():
            logits = model.network(input_ids=torch.tensor([text], device=DEVICE), use_cache=False).logits[0, -1]
        text.append(int(logits.argmax()))
    return text[len(ids) :]


def tree_is_its_paths(model: LanguageModel) -> None:
    """A branching draft that ends with the context, behind as long a prompt as fits."""
    ids = [1 + (7 * i) % (VOCAB - 1) for i in range(model.max_context)]
    prompt, (root, a, b, c) = ids[:-4], ids[-4:]
    session = model.session(16)
    for _ in session.prefill(prompt, chunk=17):
        pass
    tree = DraftTree.chain(root, [a], "x").merge(DraftTree.chain(root, [b, c, a], "x"))
    logits = session.forward(tree).logits
    for node, path in ((1, [a]), (4, [b, c, a])):
        with torch.inference_mode():
            inputs = torch.tensor([[*prompt, root, *path]], device=DEVICE)
            truth = model.network(input_ids=inputs, use_cache=False).logits[0, -1]
        torch.testing.assert_close(logits[node], truth, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("kind", ROTARY)
def test_a_run_ends_where_rotary_frequencies_would_change_and_is_exact_until_there(kind):
    family, settings, limit = ROTARY[kind]
    model = LanguageModel(network(family, **settings))
    assert model.max_context == limit
    check_exactness(model)
    tree_is_its_paths(model)
    prompt = [3, 1, 4, 1, 5] * 8
    config = find_method("pld").configure({"max_new_tokens": 200, "max_ngram": 1})
    written = complete(Request(config, tuple(prompt)), Models(model)).output_ids
    assert len(written) == limit - len(prompt)
    assert list(written) == without_cache(model, prompt, len(written))


@pytest.mark.parametrize("beyond", [1, 2, 3, 60])
@pytest.mark.parametrize("kind", ROTARY)
def test_the_load_check_sees_frequencies_that_depend_on_the_length(kind, beyond):
    family, settings, limit = ROTARY[kind]
    model = LanguageModel(network(family, **settings))
    model.max_context = limit + beyond
    if kind in LENGTH_DEPENDENT:
        with pytest.raises(ReSpecError, match="could not be trusted"):
            check_exactness(model)
    else:
        check_exactness(model)


@pytest.mark.parametrize("family", EAGER)
def test_attention_written_out_takes_the_tree_mask(family):
    settings, limit = EAGER[family]
    model = LanguageModel(network(family, **settings))
    assert (model.attention, model.max_context) == ("eager", limit)
    check_exactness(model)
    tree_is_its_paths(model)


def test_the_additive_mask_has_the_dtype_of_the_model():
    model = LanguageModel(network("gemma2", **EAGER["gemma2"][0]).to(torch.bfloat16))
    check_exactness(model)
    logits = model.session(8).forward(DraftTree.chain(1, [2], "x").merge(DraftTree.chain(1, [3], "x"))).logits
    assert bool(logits.isfinite().all())


def test_local_attention_is_a_window():
    model = LanguageModel(network("gpt_neo", **GPT_NEO, num_heads=4))
    assert model.max_context == 40
    check_exactness(model)
    tree_is_its_paths(model)


@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("bloom", {"n_layer": 2, "n_head": 4}),
        ("mpt", {"n_layers": 2, "n_heads": 4}),
        ("falcon", {"alibi": True, "num_attention_heads": 4, "num_hidden_layers": 2}),
    ],
)
def test_models_without_positions_are_refused_in_one_sentence(family, settings):
    torch.manual_seed(0)
    config = AutoConfig.for_model(family, vocab_size=VOCAB, hidden_size=64, **settings)
    with pytest.raises(ReSpecError, match="takes no token positions") as error:
        LanguageModel(AutoModelForCausalLM.from_config(config), name="it")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("length", [0, -1])
def test_a_model_that_names_no_length_is_refused(length):
    unlimited = tiny_network()
    unlimited.config.max_position_embeddings = length
    with pytest.raises(ReSpecError, match="does not say how many tokens"):
        LanguageModel(unlimited)


def test_weights_that_are_not_numbers_are_named_as_such():
    damaged = tiny_network()
    with torch.no_grad():
        damaged.model.norm.weight[3] = float("nan")
    with pytest.raises(ReSpecError, match="not numbers"):
        check_exactness(LanguageModel(damaged))

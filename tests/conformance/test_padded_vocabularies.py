"""Networks with more rows than their tokenizer has tokens, each padded differently: no method ever meets a padding row."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from tiny import DEVICE, id_store, tiny_block, tiny_model
from transformers import BertConfig, BertForMaskedLM

from respec_core.bench.comparison import compare, count_on_known_text
from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.masked import MaskedDiffusion, sayable_ids
from respec_core.methods.eagle.head import EagleConfig, EagleHead
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import violations
from respec_core.models.exactness import check_exactness
from respec_core.models.language_model import LanguageModel

NAMES = [method.name for method in METHODS]
PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 4)
ROWS = [(320, 268, 300), (268, 320, 288), (0, 320, 0), (320, 0, 320)]  # target, draft model, head; 0: no padding
TOKENS = 40


def padded(tokenizer, rows: int, seed: int, layers: int = 2) -> LanguageModel:
    """A model whose padding rows have the highest scores of all."""
    model = tiny_model(seed=seed, tokenizer=tokenizer, vocab=rows or len(tokenizer), layers=layers)
    with torch.no_grad():
        model.network.lm_head.weight[len(tokenizer) :] *= 20
    return model


def padded_head(target: LanguageModel, rows: int) -> EagleHead:
    """A head trained on a network of ``rows`` rows, which says all of them."""
    torch.manual_seed(5)
    width, said = target.embedding.shape[1], rows or target.vocab_size
    config = EagleConfig("respec", width, 4, 2, width // 4, 2 * width, 1e-6, 1e4, (1, -1), said, said)
    return EagleHead(config).to(DEVICE).eval().requires_grad_(False).attach(target.embedding)


@pytest.fixture(scope="module", params=ROWS, ids=lambda rows: "-".join(map(str, rows)))
def models(request, byte_tokenizer) -> Models:
    of_target, of_draft, of_head = request.param
    target = padded(byte_tokenizer, of_target, seed=1)
    draft = padded(byte_tokenizer, of_draft, seed=2, layers=1)
    head = padded_head(target, of_head)
    vocabulary = len(byte_tokenizer)
    beyond = [*PROMPT[:14], 5, vocabulary, vocabulary + 1, 10, 11, 400]  # a store that knows more than the target
    return Models(
        target, DraftModel(draft), id_store(list(range(5, 60)), beyond, vocabulary=512), head, tiny_block(head)
    )


@cache
def plain(target: LanguageModel, n: int) -> tuple[int, ...]:
    """Greedy decoding over the tokenizer's tokens, without a cache."""
    ids = list(PROMPT)
    with torch.inference_mode():
        for _ in range(n):
            logits = target.network(torch.tensor([ids], device=DEVICE), use_cache=False).logits[0, -1]
            ids.append(int(logits[: len(target.tokenizer)].argmax()))
    return tuple(ids[len(PROMPT) :])


def run(models: Models, method: str, **values):
    config = find_method(method).configure({"max_new_tokens": TOKENS, "rule": "strict", "ignore_eos": True} | values)
    return complete(Request(config, PROMPT), models)


@pytest.mark.parametrize("method", NAMES)
def test_strict_greedy_equals_plain_decoding_over_the_tokens(method, models):
    done = run(models, method)
    assert done.output_ids == plain(models.target, TOKENS)
    assert violations(done) == []


@pytest.mark.parametrize("method", NAMES)
def test_samples_are_tokens(method, models):
    done = run(models, method, temperature=1.5, budget="own")
    assert max(done.output_ids) < len(models.target.tokenizer)
    assert violations(done) == []


def test_the_paddings_would_win_if_they_were_let(byte_tokenizer):
    target = padded(byte_tokenizer, 320, seed=1)
    with torch.inference_mode():
        logits = target.network(torch.tensor([[*PROMPT, *plain(target, TOKENS)]], device=DEVICE)).logits[0]
    assert int((logits.argmax(-1) >= len(byte_tokenizer)).sum()) > TOKENS // 2


def test_counts_on_known_text_and_baselines_agree(models):
    for method in ("eagle2", "diffuspec"):
        values = {"max_new_tokens": TOKENS, "rule": "strict", "budget": "own", "ignore_eos": True}
        config = find_method(method).configure(values)
        request = Request(config, PROMPT)
        (real,), (again,) = compare(request, [config], models), count_on_known_text(request, [config], models)
        assert real.first_difference is None
        assert again.run.output_ids == real.run.output_ids == plain(models.target, TOKENS)


def test_a_padded_model_passes_the_load_check(byte_tokenizer):
    check_exactness(padded(byte_tokenizer, 320, seed=1))


class Holes:
    """A tokenizer that leaves ids free."""

    def __init__(self, tokenizer, free: set[int]) -> None:
        self._tokenizer, self._free = tokenizer, free

    def __getattr__(self, name):
        return getattr(self._tokenizer, name)

    def get_vocab(self) -> dict[str, int]:
        return {token: i for token, i in self._tokenizer.get_vocab().items() if i not in self._free}


def test_free_ids_within_the_range_are_never_chosen(byte_tokenizer):
    full = padded(byte_tokenizer, 0, seed=1)
    free = set(plain(full, 12)[:3])
    target = LanguageModel(full.network, Holes(byte_tokenizer, free), "holes")
    check_exactness(target)
    models = Models(target, DraftModel(padded_draft := LanguageModel(full.network, target.tokenizer, "draft")))
    assert padded_draft.vocab_size == len(byte_tokenizer)
    for temperature in (0.0, 1.5):
        done = run(models, "draft-model", temperature=temperature)
        assert free.isdisjoint(done.output_ids)
        assert violations(done) == []


@pytest.mark.parametrize("rows", [250, 262, 300, 330])
@pytest.mark.parametrize("rule", ["exact", "p/q"])
def test_public_diffusion_models_may_be_padded_too(byte_tokenizer, rows, rule):
    target = padded(byte_tokenizer, 320, seed=1)
    torch.manual_seed(0)
    small = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    network = BertForMaskedLM(BertConfig(vocab_size=rows, initializer_range=0.3, **small)).eval().to(DEVICE)
    vocabulary = byte_tokenizer.get_vocab()
    sayable = sayable_ids(vocabulary, vocabulary, frozenset(), min(rows, target.vocab_size), "bert", "target")
    models = Models(target, MaskedDiffusion(network, 3, False, sayable, window=128))
    for temperature in (0.0, 1.5):
        done = run(models, "diffuspec", shape="chain", sampling_rule=rule, temperature=temperature)
        assert max(done.output_ids) < len(byte_tokenizer)
        assert temperature or done.output_ids == plain(target, TOKENS)


def test_networks_too_small_for_the_tokenizer_keep_to_their_rows(byte_tokenizer):
    small = padded(byte_tokenizer, 200, seed=1)
    assert small.vocab_size == 200
    assert max(run(Models(small), "pld", temperature=1.5).output_ids) < 200
    with pytest.raises(ReSpecError, match="rows for 200 and 262"):
        Models(padded(byte_tokenizer, 0, seed=1), DraftModel(small))


def test_heads_for_another_vocabulary_are_refused(byte_tokenizer, tiny_models):
    target = padded(byte_tokenizer, 320, seed=1)
    for rows in (261, len(byte_tokenizer) + 1025):
        with pytest.raises(ReSpecError, match="made for a target"):
            Models(target, padded_head(replace_rows(target, rows), rows))
    with pytest.raises(ReSpecError, match="made for a target"):  # a bare network's vocabulary is its rows
        Models(tiny_models.target, padded_head(tiny_models.target, 97))


def replace_rows(target: LanguageModel, rows: int) -> LanguageModel:
    """A target wide enough for a head of ``rows`` rows."""
    return tiny_model(vocab=max(rows, target.embedding.shape[0]))


def test_copies_of_what_the_target_lacks_are_not_verified(models):
    done = run(models, "rest", budget="own")
    offered = {token for step in done.steps for hit in step.retrieval for token in hit.cont_ids}
    verified = {node.token for step in done.steps for node in step.trees.final}
    assert max(verified) < models.target.vocab_size < max(offered)

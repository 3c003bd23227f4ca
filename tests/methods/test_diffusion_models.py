"""Diffusion drafters: refinement, both conventions of public models, tokenizers, loading, our block drafter."""

from __future__ import annotations

import math

import pytest
import torch
from tiny import DEVICE, VOCAB, ScriptedDenoiser, one_hot, tiny_block, tiny_head, tiny_model, tiny_network
from torch import nn
from transformers import BertConfig, BertForMaskedLM

from respec_core.engine.decoding import Request
from respec_core.engine.drafting import Round
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.denoiser import fill
from respec_core.methods.diffuspec.loading import load_diffusion, load_masked
from respec_core.methods.diffuspec.masked import MaskedDiffusion, sayable_ids
from respec_core.methods.diffuspec.record import Lattice
from respec_core.methods.diffuspec.recycled_proxy import RecycledProxy
from respec_core.methods.parts.written_texts import Text, save_texts
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import violations
from respec_core.models.lean.int8 import processor_has_it
from respec_core.models.lean.rough import roughly

PROMPT = (3, 1, 4, 1, 5, 9, 2, 6)
MASK = 15


def run(models: Models, method: str = "diffuspec", prompt=PROMPT, **values):
    values = {"budget": "own", "max_new_tokens": 24} | values
    return complete(Request(find_method(method).configure(values), prompt), models)


def test_refinement_decides_the_surest_positions_first():
    def unsure(ids, i, known):
        """Position 1 is sure; the others want 3 at first, and 4 once position 1 is known."""
        return one_hot(5, height=9.0) if i == 1 else one_hot(4 if 1 in known else 3, height=4.0)

    denoiser = ScriptedDenoiser(unsure)
    assert [row[0] for row in fill(denoiser, [0], 3, 1, 4).tokens] == [3, 5, 3]
    denoiser = ScriptedDenoiser(unsure)
    assert [row[0] for row in fill(denoiser, [0], 3, 3, 4).tokens] == [4, 5, 4]
    assert denoiser.asked == [{}, {1: 5}, {1: 5, 0: 4}]
    denoiser = ScriptedDenoiser(unsure)
    fill(denoiser, [0], 2, 9, 4)
    assert len(denoiser.asked) == 2  # nothing is left to decide


class Bidirectional(nn.Module):
    """A causal model made to see everything, as Dream was."""

    def __init__(self, network) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids):
        n = ids.shape[1]
        return self.network(ids, attention_mask=torch.zeros((1, 1, n, n), device=ids.device), use_cache=False)


def bert(vocab: int, seed: int = 0) -> BertForMaskedLM:
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=vocab,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.3,
    )
    return BertForMaskedLM(config).eval().to(DEVICE)


@pytest.mark.parametrize("shifted", [False, True], ids=["llada", "dream"])
def test_both_conventions_of_public_models(shifted):
    network = Bidirectional(tiny_network(vocab=VOCAB).eval()) if shifted else bert(VOCAB)
    sayable = torch.ones(VOCAB, dtype=torch.bool)
    sayable[[7, 11, MASK]] = False
    model = MaskedDiffusion(network, MASK, shifted, sayable, window=64)
    k, ids = 5, [3, 1, 4, 7, 5]
    rows = model.denoiser().log_p(ids, k, {2: 9})
    text = torch.tensor([[3, 1, 4, MASK, 5, MASK, MASK, 9, MASK, MASK]], device=DEVICE)  # 7 is not in its vocabulary
    with torch.inference_mode():
        logits = network(text).logits[0].clone()
        logits[:, ~sayable] = -math.inf
    expected = torch.stack([logits[len(ids) + i - shifted].log_softmax(-1) for i in range(k)])
    torch.testing.assert_close(rows, expected, rtol=1e-4, atol=1e-4)
    done = run(Models(tiny_model(seed=1), model), shape="tree", passes=2)
    assert done.output_ids == run(Models(tiny_model(seed=1)), "vanilla").output_ids
    assert violations(done) == []
    assert {
        c.token for s in done.steps if s.record(Lattice) for p in s.record(Lattice).positions for c in p.cand
    }.isdisjoint({7, 11, MASK})
    assert done.models["diffusion"]["shifted"] == shifted


def test_long_prefixes_are_cut_to_the_window():
    model = MaskedDiffusion(bert(VOCAB), MASK, False, torch.ones(VOCAB, dtype=torch.bool), window=16)
    ids = [i % 14 for i in range(50)]
    denoiser = model.denoiser()
    assert denoiser.longest == 8
    assert torch.equal(denoiser.log_p(ids, 4, {}), denoiser.log_p(ids[-12:], 4, {}))


def test_tokenizers_are_compared_token_by_token():
    ours = {"a": 0, "b": 1, "c": 2, "<tool>": 3}
    same = sayable_ids(ours, {"a": 0, "b": 1, "c": 2, "<mask>": 3, "<new>": 4}, frozenset([3, 4]), 5, "dream", "target")
    assert same.tolist() == [True, True, True, False, False]
    with pytest.raises(ReSpecError, match="token 1 is 'x' there and 'b' here"):
        sayable_ids(ours, {"a": 0, "x": 1}, frozenset(), 5, "dream", "target")
    with pytest.raises(ReSpecError, match="no token in common"):
        sayable_ids(ours, {"z": 9}, frozenset(), 5, "dream", "target")


def test_a_public_model_loads_from_its_folder(tmp_path, byte_tokenizer):
    target = tiny_model(seed=1, tokenizer=byte_tokenizer)
    tokenizer = type(byte_tokenizer)(tokenizer_object=byte_tokenizer.backend_tokenizer, eos_token="<|eot|>")
    tokenizer.add_special_tokens({"mask_token": "<|mask|>"})
    mask = tokenizer.mask_token_id
    bert(len(tokenizer)).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    model = load_masked(target, str(tmp_path))
    assert (model.mask_id, model.shifted, model.window) == (mask, False, 64)
    assert not model.sayable[mask:].any()
    assert model.sayable[:256].all()
    done = run(Models(target, load_diffusion(target, wanted=str(tmp_path))))
    assert violations(done) == []
    with pytest.raises(ReSpecError, match="no tokenizer"):
        load_masked(tiny_model(), str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ReSpecError, match="could not be loaded"):
        load_masked(target, str(tmp_path))


def test_a_model_without_a_mask_token_is_refused(tmp_path, byte_tokenizer):
    bert(len(byte_tokenizer)).save_pretrained(tmp_path)
    byte_tokenizer.save_pretrained(tmp_path)
    with pytest.raises(ReSpecError, match="no mask token"):
        load_masked(tiny_model(tokenizer=byte_tokenizer), str(tmp_path))


def test_block_drafter_against_a_direct_pass(tmp_path):
    target = tiny_model(seed=1)
    head = tiny_head(target)
    block = tiny_block(head)
    models = Models(target, head, block)
    done = run(models, shape="chain", m_max=20, tau=1.0, max_new_tokens=12)
    drafted = [step for step in done.steps if step.record(Lattice) is not None]  # the last token may leave no room
    assert len(drafted) >= len(done.steps) - 1
    for step in drafted:
        ids = [*PROMPT, *done.output_ids][: step.ctx_len]
        session = target.session(64, head.config.feature_layers)
        fresh = block.denoiser()
        for _, hidden in session.prefill(ids[:-1]):
            fresh.prefilled(hidden)
        fresh.begin(ids)
        expected = fill(fresh, ids, step.record(Lattice).k, 1, 20)
        for position, tokens, log_p in zip(
            step.record(Lattice).positions, expected.tokens, expected.log_p, strict=True
        ):
            assert [c.logp_dlm for c in position.cand] == pytest.approx(list(log_p), abs=1e-3)
            assert position.cand[0].token == tokens[0]
    assert max(step.record(Lattice).k for step in drafted) == 5  # the block caps what is asked for
    head.save(tmp_path)
    block.drafter.save(tmp_path)
    save_texts(
        [Text(tuple(range(40)), 2, "qa", 50), Text((1, 90, 91) * 5, 2, "qa", 51)], tmp_path / "corpus/2-a.safetensors"
    )
    assert load_diffusion(target, None) is None
    assert load_diffusion(target, head) is None  # a bare target has nothing shipped
    again = Models(target, head, loaded := load_diffusion(target, head, tmp_path))
    assert run(again, shape="chain", max_new_tokens=12).output_ids == done.output_ids
    assert loaded.corpus_counts().unigrams.nonzero()[0].tolist() == [1, 90, 91]  # what was held out stays out


@pytest.mark.parametrize("rough", [False, True])
def test_the_pass_that_drafts_is_the_denoisers_with_its_first_guess_given(rough):
    target = tiny_model(seed=3)
    block = tiny_block(tiny_head(target))
    if rough and not processor_has_it():
        pytest.skip("torch multiplies no int8 here")
    if rough:
        roughly(block.drafter)
    denoiser, session = block.denoiser(), target.session(64, block.head.config.feature_layers)
    for _, hidden in session.prefill(PROMPT[:-1]):
        denoiser.prefilled(hidden)
    denoiser.begin(PROMPT)
    assert denoiser.ready()
    near = 0.05 if rough else 1e-5  # a last bit may tip a digit of int8, on another processor
    first = denoiser.log_p(PROMPT, 1, {})[0]
    known = {0: int(denoiser.tokens[first.argmax()])}
    assert denoiser.sure() == pytest.approx(float(first.max().exp()))
    by_hand = denoiser.log_p(PROMPT, denoiser.longest, known)
    quick = denoiser.log_p(PROMPT, denoiser.longest, {})
    assert torch.allclose(quick, by_hand, atol=near)
    shorter = denoiser.log_p(PROMPT, 3, {})
    assert torch.allclose(shorter, quick[:3], atol=1e-5)
    other = denoiser.log_p(PROMPT, denoiser.longest, {0: known[0] ^ 1})
    assert not torch.allclose(other[1:], quick[1:], atol=near)


def test_recycled_proxy_follows_the_targets_last_ranking():
    proxy = RecycledProxy(16)
    proxy.read([1, 2, 1, 3])
    candidates = torch.arange(16).numpy()
    before = proxy.log_p([1], candidates)
    assert before.argmax() == 3 and sorted(before)[-2] == before[2]  # the newest successor first
    logits = torch.tensor([one_hot(9)])
    proxy.observe(Round(DraftTree.root(1), (), (9,), logits, {}, (), [1, 9]))
    assert proxy.log_p([0, 1], candidates).argmax() == 9

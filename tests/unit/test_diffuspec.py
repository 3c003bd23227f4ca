"""DiffuSpec as a method: shapes, both conventions of public models, end of text, limits, trace and its invariants."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import pytest
import torch
from tiny import DEVICE, VOCAB, StubModel, one_hot, tiny_block, tiny_head, tiny_model, tiny_network
from torch import nn
from transformers import BertConfig, BertForMaskedLM

from respec_core.decoding import Request, complete
from respec_core.diffusion.denoiser import Denoiser, fill
from respec_core.diffusion.loading import load_diffusion, load_masked
from respec_core.diffusion.masked import MaskedDiffusion, sayable_ids
from respec_core.diffusion.recycled import RecycledProxy
from respec_core.drafters.base import Round
from respec_core.errors import ReSpecError
from respec_core.invariants import violations
from respec_core.methods import find_method
from respec_core.models import Models
from respec_core.trace import parse_trace
from respec_core.training.texts import Text, save_texts
from respec_core.tree import DraftTree

PROMPT = (3, 1, 4, 1, 5, 9, 2, 6)
MASK = 15


def run(models: Models, method: str = "diffuspec", prompt=PROMPT, **values):
    values = {"max_new_tokens": 24} | values
    return complete(Request(find_method(method).configure(values), prompt), models)


@dataclass
class Scripted:
    """A diffusion model that says what ``script`` says; stands for its own denoiser."""

    rows: object

    def denoiser(self) -> Denoiser:
        return ScriptedDenoiser(self.rows)

    def describe(self):
        return {"kind": "scripted"}

    def corpus_counts(self):
        return None


class ScriptedDenoiser(Denoiser):
    longest = 64

    def __init__(self, rows) -> None:
        self.rows, self.asked = rows, []

    def log_p(self, ids, k, known):
        self.asked.append(dict(known))
        return torch.tensor([self.rows(ids, i, known) for i in range(k)]).log_softmax(-1)


def count_up(ids) -> list[float]:
    return one_hot((ids[-1] + 1) % 8)


def counting(ids, i, known) -> list[float]:
    return one_hot((ids[-1] + 1 + i) % 8)


STUB = Models(StubModel(count_up), diffusion=Scripted(counting))


@pytest.mark.parametrize("shape", ["chain", "beams", "tree"])
def test_a_perfect_drafter_is_accepted_whole(shape):
    done = run(STUB, shape=shape, tree_nodes=64, k_max=10, k_min=5, max_new_tokens=40)
    assert done.output_ids == tuple((PROMPT[-1] + 1 + i) % 8 for i in range(40))
    assert violations(done) == []
    first = done.steps[0]
    assert first.commit.n_accepted == 10
    assert {node.sources for node in first.trees.final[1:]} == {("dlm",)}
    assert first.decision.chosen == "diffusion"
    assert set(first.phase_ms) >= {"draft", "search", "verify"}
    assert parse_trace(done.to_json()) == done


def test_the_length_adapts_and_starts_anew_every_run():
    done = run(STUB, shape="chain", k_min=2, k_max=12, delta=3, rho=0.5, max_new_tokens=64)
    first, second = done.steps[0].adl, done.steps[1].adl
    assert (first.k_t, first.L_gen, first.L_acc, first.ema_gen, first.grew, first.k_next) == (12, 12, 12, 6, True, 9)
    assert second.k_t == 9
    assert run(STUB, shape="chain", k_min=2, k_max=12, delta=3, rho=0.5).steps[0].adl.k_t == 12


def test_more_positions_than_the_rest_of_the_run_are_not_asked_for():
    done = run(STUB, shape="chain", max_new_tokens=5)
    assert [len(step.trees.final) - 1 for step in done.steps] == [4]
    assert done.steps[0].lattice.k == 4
    assert violations(done) == []


def test_end_of_text_inside_the_draft_ends_the_run():
    def ends(ids, i, known):
        return one_hot(min(ids[-1] + 1 + i, 12))

    target = StubModel(lambda ids: one_hot(ids[-1] + 1), eos_ids=frozenset([12]))
    models = Models(target, diffusion=Scripted(ends))
    for shape in ("chain", "beams", "tree"):
        done = run(models, shape=shape, k_min=2)
        assert done.output_ids == (7, 8, 9, 10, 11, 12)
        assert done.finish_reason == "eos"
        assert violations(done) == []
        assert (done.steps[0].adl.s_t, done.steps[0].adl.L_gen) == (6, 5)
        assert done.steps[0].lattice.beams[0].tokens == (7, 8, 9, 10, 11, 12)
        assert not done.steps[0].lattice.beams[0].alive


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
    done = run(Models(tiny_model(seed=1), diffusion=model), shape="tree", passes=2)
    assert done.output_ids == run(Models(tiny_model(seed=1)), "vanilla").output_ids
    assert violations(done) == []
    assert {c.token for s in done.steps if s.lattice for p in s.lattice.positions for c in p.cand}.isdisjoint(
        {7, 11, MASK}
    )
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
    done = run(Models(target, diffusion=load_diffusion(target, wanted=str(tmp_path))))
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
    models = Models(target, head=head, diffusion=block)
    done = run(models, shape="chain", m_max=20, tau=1.0, max_new_tokens=12)
    drafted = [step for step in done.steps if step.lattice is not None]  # the last token may leave no room
    assert len(drafted) >= len(done.steps) - 1
    for step in drafted:
        ids = [*PROMPT, *done.output_ids][: step.ctx_len]
        session = target.session(64, head.config.feature_layers)
        fresh = block.denoiser()
        for _, hidden in session.prefill(ids[:-1]):
            fresh.prefilled(hidden)
        fresh.begin(ids)
        expected = fill(fresh, ids, step.lattice.k, 1, 20)
        for position, tokens, log_p in zip(step.lattice.positions, expected.tokens, expected.log_p, strict=True):
            assert [c.logp_dlm for c in position.cand] == pytest.approx(list(log_p), abs=1e-3)
            assert position.cand[0].token == tokens[0]
    assert max(step.lattice.k for step in drafted) == 5  # the block caps what is asked for
    head.save(tmp_path)
    block.drafter.save(tmp_path)
    save_texts(
        [Text(tuple(range(40)), 2, "qa", 50), Text((1, 90, 91) * 5, 2, "qa", 51)], tmp_path / "corpus/2-a.safetensors"
    )
    assert load_diffusion(target, None) is None
    assert load_diffusion(target, head) is None  # a bare target has nothing shipped
    again = Models(target, head=head, diffusion=load_diffusion(target, head, tmp_path))
    assert run(again, shape="chain", max_new_tokens=12).output_ids == done.output_ids
    assert again.diffusion.corpus_counts().unigrams.nonzero()[0].tolist() == [1, 90, 91]  # what was held out stays out


def test_without_a_diffusion_model_the_message_says_what_to_do():
    with pytest.raises(ReSpecError, match="diffuspec needs a diffusion: give --diffusion"):
        run(Models(StubModel(count_up)))
    with pytest.raises(ReSpecError, match="diffuspec-retrieval needs a diffusion"):
        run(Models(StubModel(count_up)), "diffuspec-retrieval")


def test_the_hybrid_copies_where_the_target_is_sure_and_asks_the_model_elsewhere():
    done = run(STUB, "diffuspec-retrieval", prompt=tuple(range(8)) * 2, theta_entropy=1.5, max_new_tokens=40)
    assert {step.decision.chosen for step in done.steps} >= {"retrieval", "diffusion"}
    assert violations(done) == []
    for step in done.steps:
        assert (step.adl is not None) == (step.lattice is not None) == (step.decision.chosen == "diffusion")


def test_proxies_change_the_search_and_none_leaves_the_model_alone():
    for proxy in ("corpus", "ngram", "recycling", "none"):
        done = run(STUB, proxy=proxy)
        assert violations(done) == []
        lattice = done.steps[0].lattice
        assert (lattice.lambda_dlm == 1.0) == (proxy == "none")
        assert (lattice.beams[0].ngram_sum is None) == (proxy == "none")


def test_recycled_proxy_follows_the_targets_last_ranking():
    proxy = RecycledProxy(16)
    proxy.read([1, 2, 1, 3])
    candidates = torch.arange(16).numpy()
    before = proxy.log_p([1], candidates)
    assert before.argmax() == 3 and sorted(before)[-2] == before[2]  # the newest successor first
    logits = torch.tensor([one_hot(9)])
    proxy.observe(Round(DraftTree.root(1), (), (9,), logits, {}, (), [1, 9]))
    assert proxy.log_p([0, 1], candidates).argmax() == 9


@pytest.fixture(scope="module")
def sound():
    return run(STUB, shape="chain", k_min=2, k_max=6, tau=0.9999, max_new_tokens=30)


def set_at(path: str, value):
    def apply(data) -> None:
        *parents, last = path.split(".")
        for key in parents:
            data = data[int(key)] if key.isdigit() else data[key]
        data[int(last) if last.isdigit() else last] = value

    return apply


@pytest.mark.parametrize(
    ("broken", "group", "says"),
    [
        (set_at("steps.0.lattice.k", 9), "lattice", "number of positions"),
        (set_at("steps.0.lattice.positions.0.M_i", 1), "lattice", "mass_at_cut"),
        (set_at("steps.0.lattice.tau", 0.1), "lattice", "smallest that reaches"),
        (set_at("steps.0.lattice.positions.0.cand.0.logp_dlm", -50.0), "lattice", "not in order"),
        (set_at("steps.0.lattice.positions.0.cand.0.kept", False), "lattice", "kept are not"),
        (set_at("steps.0.lattice.beams.0.tokens.0", 99), "lattice", "leaves the kept"),
        (set_at("steps.0.lattice.beams.0.alive", False), "lattice", "does not stop"),
        (set_at("steps.0.lattice.beams.0.dlm_sum", -9.0), "lattice", "dlm_sum"),
        (set_at("steps.0.lattice.beams.0.ngram_sum", -99.0), "lattice", "score is not"),
        (set_at("steps.0.lattice.chosen", 1), "lattice", "not the best"),
        (set_at("steps.0.lattice.chosen", 7), "lattice", "not among"),
        (set_at("steps.0.lattice.top1_path.0", 1), "lattice", "top1_path"),
        (set_at("steps.0.adl.k_t", 99), "adl", "outside"),
        (set_at("steps.1.adl.k_t", 2), "adl", "not what the round before"),
        (set_at("steps.0.adl.L_gen", 1), "adl", "L_gen"),
        (set_at("steps.0.adl.L_acc", 1), "adl", "L_acc"),
        (set_at("steps.1.adl.ema_gen", 0.5), "adl", "averages"),
        (set_at("steps.0.adl.grew", False), "adl", "grew"),
        (set_at("steps.0.adl.k_next", 3), "adl", "k_next"),
    ],
)
def test_every_invariant_of_the_lattice_and_the_length_can_fail(sound, broken, group, says):
    assert violations(sound) == []
    data = json.loads(sound.to_json())
    broken(data)
    assert any(p.startswith(group) and says in p for p in violations(parse_trace(data)))


def test_the_target_without_features_drafts_nothing_in_the_first_round():
    target = tiny_model(seed=1)
    head = tiny_head(target)
    done = run(Models(target, head=head, diffusion=tiny_block(head)), prompt=(3,))
    assert "has not seen a feature" in done.steps[0].decision.reason
    assert done.steps[0].adl is None
    assert violations(done) == []

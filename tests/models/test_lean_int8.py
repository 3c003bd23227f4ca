"""Int8: near the network in fp32, and the same to the last bit alone, in blocks and in trees."""

from __future__ import annotations

import pytest
import torch
from test_lean_forward import random_model
from tiny import FAMILIES, VOCAB, tiny_network

from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.models.language_model import LanguageModel, load_model
from respec_core.models.lean.int8 import Int8, processor_has_it, quantised
from respec_core.models.lean.projection import RowNorm, normed
from respec_core.models.lean.self_test import exact_to_the_bit
from respec_core.models.quantising import quantised_or_not

pytestmark = pytest.mark.skipif(not processor_has_it(), reason="int8 needs an x86 processor")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RESPEC_CACHE", str(tmp_path))
    return tmp_path


def projection(inner: int = 48, out: int = 40, bias: bool = False):
    torch.manual_seed(3)
    weight, scale = quantised(torch.randn(out, inner))
    offset = torch.randn(out) if bias else None
    return Int8(weight, scale, offset), weight.double() * scale.double()[:, None], 0 if offset is None else offset


@pytest.mark.parametrize("bias", [False, True])
def test_a_product_has_fifteen_bits_of_its_input(bias):
    ours, weight, offset = projection(bias=bias)
    x, residual = torch.randn(9, 48), torch.randn(9, 40)
    truth = x.double() @ weight.T
    loss = (ours.onto(residual, x) - residual - offset - truth).abs().amax(1)
    assert bool((loss <= 2e-5 * x.abs().amax(1) * weight.abs().sum(1).max()).all())
    norm = RowNorm.of(torch.randn(48), 1e-5)
    torch.testing.assert_close(
        ours.normed(x, norm), (normed(x, norm).double() @ weight.T + offset).float(), rtol=0, atol=2e-3
    )


def test_a_rows_product_does_not_depend_on_the_others():
    ours, _, _ = projection(inner=64, out=96)
    x, norm = torch.randn(33, 64), RowNorm.of(torch.randn(64), 1e-5)
    together = ours.normed(x, norm)
    for start, end in ((0, 1), (1, 3), (3, 8), (8, 25), (32, 33)):
        assert torch.equal(ours.normed(x[start:end], norm), together[start:end])


def test_a_row_of_zeros_stays_one():
    ours, _, _ = projection()
    assert torch.equal(ours.onto(torch.zeros(1, 40), torch.zeros(1, 48)), torch.zeros(1, 40))
    assert torch.equal(ours.normed(torch.zeros(1, 48), RowNorm.of(torch.ones(48), 1e-5)), torch.zeros(1, 40))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_says_what_it_says_in_fp32(family):
    model = random_model(family, initializer_range=0.08)
    ids = [(11 * i) % VOCAB for i in range(64)]
    rows = []
    for session in (model.session(80), model.in_int8().session(80)):
        for _ in session.prefill(ids[:-1]):
            pass
        rows.append([])
        for token in range(16):
            rows[-1].append(session.forward(DraftTree.root(token)).logits[0].log_softmax(-1))
    truth, ours = (torch.stack(row) for row in rows)
    lost, other = divergence(truth, ours), divergence(truth, truth.roll(1, 0))
    assert lost < 0.01 * other


def divergence(p: torch.Tensor, q: torch.Tensor) -> float:
    """Mean KL of rows of log probabilities."""
    return float((p.exp() * (p - q)).sum(-1).mean())


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_exact_to_the_bit(family):
    lean = random_model(family).in_int8().lean
    assert lean is not None
    assert all(exact_to_the_bit(lean, VOCAB, seed) for seed in range(3))


def test_the_self_test_sees_attention_that_depends_on_the_block():
    lean = random_model(head_dim=32).in_int8().lean
    assert lean is not None
    lean.exact = False
    assert not all(exact_to_the_bit(lean, VOCAB, seed) for seed in range(3))


def test_the_self_test_sees_weights_that_are_no_numbers():
    network = tiny_network()
    with torch.no_grad():
        network.model.norm.weight[3] = float("nan")
    lean = LanguageModel(network).in_int8().lean
    assert lean is not None
    assert not exact_to_the_bit(lean, VOCAB)


def test_what_the_self_test_found_is_kept(cache):
    model, said = random_model(), []
    assert quantised_or_not(model, said.append).dtype_name == "int8"
    assert len(said) == 1 and "once" in said[0]
    (verdict,) = cache.glob("exact/*.json")
    quantised_or_not(model, said.append)
    assert len(said) == 1
    verdict.write_text("false")
    assert quantised_or_not(model, said.append) is model
    assert model.note == said[1] == "fp32 in place of int8: it is not exact to the last bit on this machine"


def test_an_architecture_that_int8_does_not_know_runs_as_it_is(cache):
    model, said = random_model("gemma2"), []
    assert quantised_or_not(model, said.append) is model
    assert said == [model.note] == ["fp32 in place of int8: its architecture is gemma2"]


def test_int8_runs_on_the_processor():
    with pytest.raises(ReSpecError, match="int8 runs on the processor"):
        load_model("anything", "mps", "int8")

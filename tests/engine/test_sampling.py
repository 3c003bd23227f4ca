"""From scores to a token at the borders: cold, huge, penalised, forbidden, not numbers; and settings that contradict."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny import StubModel, one_hot

from respec_core.engine.decoding import Request
from respec_core.engine.sampling import Sampler
from respec_core.engine.tree import DraftTree
from respec_core.engine.verification import verify
from respec_core.errors import ReSpecError
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import violations
from respec_core.settings.run_config import COLDEST, SamplingSettings
from respec_core.settings.verifying import VerifySettings

INF, NAN = math.inf, math.nan


def sampler(**values) -> Sampler:
    return Sampler(SamplingSettings(**({"temperature": 1.0} | values)))


@pytest.mark.parametrize("temperature", [5e-324, 1e-300, 1e-40, 1e-38, 1e-7, 9.99e-6])
@pytest.mark.parametrize("method", [m.name for m in METHODS])
def test_tiny_temperatures_decode_greedily(method, temperature):
    config = find_method(method).configure({"temperature": temperature})
    assert config.sampling.temperature == 0


@pytest.mark.parametrize("temperature", [-1e-40, NAN, INF, 5.1])
def test_impossible_temperatures_are_refused(temperature):
    with pytest.raises(ReSpecError, match="temperature"):
        find_method("vanilla").configure({"temperature": temperature})


@pytest.mark.parametrize("temperature", [COLDEST, 1e-3, 1.0, 5.0])
@pytest.mark.parametrize("height", [1e-30, 1.0, 1e30, 3e38])
@pytest.mark.parametrize("penalty", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("top_p", [5e-324, 1e-9, 0.5, 1.0])
def test_extreme_scores_give_a_distribution(temperature, height, penalty, top_p):
    s = sampler(temperature=temperature, repetition_penalty=penalty, top_p=top_p)
    p = s.distribution(torch.tensor([height, -height, height / 2, -INF]), [0, 1])
    assert float(p.sum()) == pytest.approx(1)
    assert float(p[3]) == 0
    token, drawn = s.choose(torch.tensor([height, -height, height / 2, -INF]), [0, 1])
    assert 0 < float(drawn[token]) <= 1


@given(
    st.lists(st.floats(-(2.0**127), 2.0**127, width=32), min_size=1, max_size=9),
    st.floats(1e-5, 5.0),
    st.floats(1e-6, 1),
)
def test_any_finite_row_gives_a_token_that_has_mass(row, temperature, top_p):
    token, p = sampler(temperature=temperature, top_p=top_p).choose(torch.tensor(row), [])
    assert 0 < float(p[token]) <= 1


@pytest.mark.parametrize("bad", [[0.0, NAN], [INF, 0.0], [INF, INF], [-INF, -INF], [NAN, -INF]])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_no_token_is_chosen_from_a_row_that_is_not_finite(bad, temperature):
    s, row = sampler(temperature=temperature), torch.tensor(bad)
    with pytest.raises(ReSpecError, match="not finite numbers"):
        s.choose(row, [])
    for draft in (DraftTree.root(0), DraftTree.chain(0, [1] * 20, "dynamic")):  # a small tree is decided at once
        with pytest.raises(ReSpecError, match="not finite numbers"):
            verify(draft, row.repeat(len(draft), 1), [0], s, VerifySettings())
    with pytest.raises(ReSpecError, match="not finite numbers"):
        s.draw(torch.tensor([0.5, NAN]))


def test_rows_behind_a_rejected_node_may_be_anything():
    rows = torch.tensor([[9.0, 0.0], [NAN, NAN]])
    assert verify(DraftTree.chain(0, [1], "dynamic"), rows, [0], sampler(temperature=0.0), VerifySettings()).extra == 0


def test_the_last_threshold_stays_within_what_has_mass():
    s = sampler()
    s.rng.random = lambda: 1.0  # what rounding can make of the largest
    assert s.draw(torch.tensor([0.25, 0.5, 0.0, 0.0])) == 1


def test_a_relaxed_accept_needs_some_probability():
    tree, rule = DraftTree.chain(0, [1], "dynamic"), VerifySettings(rule="relaxed", relax_eps=0.0, relax_k=50)
    verdict = verify(tree, torch.tensor([[3.0, 0.0]]).repeat(2, 1), [0], sampler(top_k=1), rule)
    assert (verdict.path, verdict.decided_p) == ((), (1.0,))


@pytest.mark.parametrize("p", [NAN, 0.0, -0.1, 1.5, INF, None])
def test_a_sampled_token_without_a_probability_is_an_invalid_trace(p):
    config = find_method("vanilla").configure({"temperature": 1.0, "max_new_tokens": 3})
    run = complete(Request(config, (1,)), Models(StubModel(lambda ids: one_hot(2))))
    assert violations(run) == []
    odd = run.tokens[1].model_copy(update={"decided_p": p})
    broken = run.model_copy(update={"tokens": (run.tokens[0], odd, run.tokens[2])})
    assert any("not in (0, 1]" in problem for problem in violations(broken))


@pytest.mark.parametrize(
    ("method", "values"),
    [
        ("rest", {"min_span": 9, "max_span": 8}),
        ("rest", {"max_span": 1}),
        ("diffuspec", {"k_min": 31}),
        ("diffuspec-retrieval", {"k_max": 19}),
        ("diffuspec", {"sampling_rule": "p/q", "shape": "beams"}),
    ],
)
def test_settings_that_contradict_each_other_are_refused_in_one_sentence(method, values):
    with pytest.raises(ReSpecError, match=r"^These settings contradict each other: [^{]+\.$"):
        find_method(method).configure(values)


@pytest.mark.parametrize("values", [{"min_span": 8, "max_span": 8}, {"max_span": 2}])
def test_equal_bounds_are_possible(values):
    find_method("rest").configure(values)

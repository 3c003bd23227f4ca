"""ReSpec as the paper has it (arXiv 2511.01282): against a direct reading of its formulas, and worked examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import StubModel, id_store, one_hot, tiny_model

from respec_core.engine.decoding import Request
from respec_core.methods.parts.branches import branch_length
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.parts.entropy_trigger import entropy_trigger
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import violations


@pytest.mark.parametrize(
    ("entropies", "means", "costs", "k_star", "fires"),
    [
        ((0.1, 2.0, 2.0), (0.1, 1.05, 1.367), (1.1, 1.55, 1.70), 1, True),
        ((1.6, 0.2, 0.1), (1.6, 0.9, 0.633), (2.6, 1.4, 0.967), 3, True),
        ((2.0, 1.8, 1.6), (2.0, 1.9, 1.8), (3.0, 2.4, 2.133), 3, False),
    ],
)
def test_worked_examples(entropies, means, costs, k_star, fires):
    trigger = entropy_trigger(entropies, lookback=3, lambda_e=1.0, theta=1.5)
    assert pytest.approx(means, abs=1e-3) == trigger.H
    assert pytest.approx(costs, abs=1e-3) == trigger.C
    assert (trigger.k_star, trigger.fires) == (k_star, fires)


@given(st.lists(st.floats(0, 10), max_size=8), st.integers(1, 6), st.floats(0, 4), st.floats(0, 10))
def test_trigger_is_the_formula(entropies, lookback, lambda_e, theta):
    trigger = entropy_trigger(entropies, lookback, lambda_e, theta)
    windows = range(1, min(lookback, len(entropies)) + 1)
    if not windows:
        assert not trigger.fires
        return
    best = min(windows, key=lambda k: sum(entropies[:k]) / k + lambda_e / k)
    assert trigger.k_star == best
    assert trigger.fires == (sum(entropies[:best]) / best <= theta)


@pytest.mark.parametrize(("score", "length"), [(0.0, 2), (0.1, 2), (0.5, 8), (0.8, 13), (1.0, 16)])
def test_branch_length_is_clipped(score, length):
    assert branch_length(score, 16) == length


def run(prompt: tuple[int, ...], models: Models, method: str = "respec-strict", **values):
    values = {"budget": "own", "max_new_tokens": 24, "min_match": 1} | values
    return complete(Request(find_method(method).configure(values, "paper"), prompt), models)


def cycle(ids) -> list[float]:
    return one_hot((ids[-1] + 1) % 8)


STUB = Models(StubModel(cycle))
CYCLE = tuple(range(8)) * 3


def test_scores_move_by_the_exponential_average():
    """S 0.5, R 0.8 → 0.59 at α = 0.3; every verified hit obeys the rule, untried ones keep s0."""
    done = run(CYCLE, STUB, alpha=0.3)
    updated = [hit for step in done.steps for hit in step.retrieval if hit.proposed]
    assert updated
    for hit in updated:
        assert hit.score_after == pytest.approx(0.7 * hit.score_before + 0.3 * hit.accepted / hit.proposed)
    assert pytest.approx(0.59) == 0.7 * 0.5 + 0.3 * 0.8
    assert all(hit.score_after is None for step in done.steps for hit in step.retrieval if not hit.proposed)


def test_one_total_rejection_filters_a_position():
    """With s0 = θ_score a new position is tried once; a miss drops it below the threshold."""
    alternating = Models(StubModel(lambda ids: one_hot(9 if ids[-1] == 1 else 1)))
    done = run((1, 2, 1, 3, 1, 4, 1), alternating, max_draft=4, fallback="none", max_new_tokens=30, k_cand=8)
    tried: set[int] = set()
    missed: set[int] = set()
    for step in done.steps:
        for hit in step.retrieval:
            if hit.end_pos in missed:
                assert hit.status == "score_filtered"
            if hit.proposed:
                tried.add(hit.end_pos)
                if hit.score_after < 0.5:
                    missed.add(hit.end_pos)
    assert missed


def test_the_best_candidates_become_branches_of_one_tree():
    prompt = (1, 2, 5, 9, 1, 2, 6, 9, 1, 2, 7, 9, 1, 2, 3, 9, 1)
    models = Models(StubModel(lambda ids: one_hot(2 if ids[-1] == 1 else 3)))
    done = run(prompt, models, k_cand=2, theta_entropy=5.0, fallback="none")
    first = done.steps[1]  # the first round has no entropy yet
    assert first.decision.triggered
    kept = [hit for hit in first.retrieval if hit.proposed]
    assert [hit.end_pos for hit in kept] == [14, 10]  # newest first
    assert {n.token for n in first.trees.final if n.depth == 1} == {3, 7}
    assert {hit.status for hit in first.retrieval if not hit.proposed} == {"cap_filtered"}


def test_a_round_without_trigger_still_shows_what_retrieval_offered():
    unsure = Models(StubModel(lambda ids: [0.1 * (t == (ids[-1] + 1) % 8) for t in range(16)]))
    done = run(CYCLE, unsure, theta_entropy=1.0, fallback="none")
    assert all(not step.decision.triggered and len(step.trees.final) == 1 for step in done.steps)
    later = done.steps[3]
    assert later.retrieval
    assert "not triggered" in later.decision.reason
    assert later.decision.k_star is not None
    assert violations(done) == []


def test_fallback_is_named_in_the_reason():
    unsure = Models(tiny_model(seed=1), DraftModel(tiny_model(seed=2)))
    for fallback, word in {"recycling": "remembered", "draft-model": "tiny-llama", "none": "abstain"}.items():
        done = run((3, 1, 4, 1, 5), unsure, theta_entropy=0.0, fallback=fallback)
        assert word in done.steps[-2].decision.reason


def test_static_candidates_come_from_the_store_and_are_cited():
    store = id_store([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    models = Models(StubModel(lambda ids: one_hot((ids[-1] + 1) % 16)), store)
    done = run((3, 4), models, theta_entropy=5.0)
    hits = [hit for step in done.steps for hit in step.retrieval if hit.corpus == "static"]
    assert hits
    assert all(hit.doc.startswith("doc0.txt") for hit in hits)
    assert any(hit.accepted for hit in hits)


def test_relaxed_passes_retrieved_tokens_and_counts_them():
    def almost(ids) -> list[float]:
        logits = [0.0] * 16
        logits[(ids[-1] + 1) % 8] = 6.0
        logits[9] = 6.5 * (len(ids) % 6 == 0)  # strict wants 9 now and then
        return logits

    done = run(CYCLE, Models(StubModel(almost)), method="respec", theta_entropy=5.0, fallback="none", relax_digits=True)
    assert done.config["verify"]["rule"] == "relaxed"
    relaxed = [token for token in done.tokens if token.outcome == "relaxed_accept"]
    assert relaxed
    assert done.summary.relaxed_accepts == len(relaxed)
    assert all(token.wish.token == 9 and token.rank == 2 for token in relaxed)
    assert all(step.commit.n_relaxed <= 2 for step in done.steps)
    assert violations(done) == []
    strict = run(CYCLE, Models(StubModel(almost)), theta_entropy=5.0, fallback="none")
    assert strict.summary.relaxed_accepts == 0


def test_normalised_entropies_are_shares_of_the_maximum():
    done = run(CYCLE, STUB, normalised=True, theta_entropy=1.0)
    decision = done.steps[-1].decision
    assert decision.unit == "ln V"
    assert all(0 <= h <= 1 for h in decision.entropies)

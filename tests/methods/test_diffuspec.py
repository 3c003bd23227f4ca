"""DiffuSpec as a method: shapes, length, end of text, limits, proxies, the hybrid."""

from __future__ import annotations

import math

import pytest
from tiny import ScriptedDiffusion, StubModel, count_up, counting_diffusion, one_hot, tiny_block, tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.record import ADL, Lattice
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import parse_trace, violations

PROMPT = (3, 1, 4, 1, 5, 9, 2, 6)
STUB = Models(StubModel(count_up), counting_diffusion())


def run(models: Models, method: str = "diffuspec", prompt=PROMPT, **values):
    values = {"budget": "own", "max_new_tokens": 24} | values
    return complete(Request(find_method(method).configure(values), prompt), models)


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
    first, second = done.steps[0].record(ADL), done.steps[1].record(ADL)
    assert (first.k_t, first.L_gen, first.L_acc, first.ema_gen, first.grew, first.k_next) == (12, 12, 12, 6, True, 9)
    assert second.k_t == 9
    assert run(STUB, shape="chain", k_min=2, k_max=12, delta=3, rho=0.5).steps[0].record(ADL).k_t == 12


def test_more_positions_than_the_rest_of_the_run_are_not_asked_for():
    done = run(STUB, shape="chain", max_new_tokens=5)
    assert [len(step.trees.final) - 1 for step in done.steps] == [4]
    assert done.steps[0].record(Lattice).k == 4
    assert violations(done) == []


def test_end_of_text_inside_the_draft_ends_the_run():
    def ends(ids, i, known):
        return one_hot(min(ids[-1] + 1 + i, 12))

    target = StubModel(lambda ids: one_hot(ids[-1] + 1), eos_ids=frozenset([12]))
    models = Models(target, ScriptedDiffusion(ends))
    for shape in ("chain", "beams", "tree"):
        done = run(models, shape=shape, k_min=2)
        assert done.output_ids == (7, 8, 9, 10, 11, 12)
        assert done.finish_reason == "eos"
        assert violations(done) == []
        assert (done.steps[0].record(ADL).s_t, done.steps[0].record(ADL).L_gen) == (6, 5)
        assert done.steps[0].record(Lattice).beams[0].tokens == (7, 8, 9, 10, 11, 12)
        assert not done.steps[0].record(Lattice).beams[0].alive


def test_without_a_diffusion_model_the_message_says_what_to_do():
    with pytest.raises(ReSpecError, match="diffuspec needs a diffusion: give --diffusion"):
        run(Models(StubModel(count_up)))
    with pytest.raises(ReSpecError, match="diffuspec-retrieval needs a diffusion"):
        run(Models(StubModel(count_up)), "diffuspec-retrieval")


def test_the_hybrid_copies_where_the_target_is_sure_and_asks_the_model_elsewhere():
    values = {"prompt": tuple(range(8)) * 2, "theta_entropy": 1.5, "max_new_tokens": 40}
    done = run(STUB, "diffuspec-retrieval", switch="gate", when_triggered="retrieval", **values)
    assert {step.decision.chosen for step in done.steps} >= {"retrieval", "diffusion"}
    assert violations(done) == []
    for step in done.steps:
        assert (
            (step.record(ADL) is not None)
            == (step.record(Lattice) is not None)
            == (step.decision.chosen == "diffusion")
        )


def test_the_hybrid_verifies_copies_and_the_models_draft_in_one_tree():
    done = run(STUB, "diffuspec-retrieval", prompt=tuple(range(8)) * 2, theta_entropy=1.5, max_new_tokens=40)
    assert violations(done) == []
    fused = next(step for step in done.steps if step.decision.chosen == "fused")
    assert {source for node in fused.trees.final for source in node.sources} == {"dlm", "dynamic"}
    assert any(len(node.sources) == 2 for node in fused.trees.final)
    assert len(fused.trees.drafter) > 1
    assert len(fused.trees.retrieval) > 1
    assert fused.record(Lattice) is not None
    assert fused.retrieval


def test_only_the_diffusion_models_tokens_count_for_its_length():
    """Copies go on where the model is wrong: what they win must not make its drafts longer."""
    wrong = Models(StubModel(count_up), ScriptedDiffusion(lambda ids, i, known: one_hot((ids[-1] + 1) % 8)))
    done = run(wrong, "diffuspec-retrieval", prompt=tuple(range(8)) * 2, theta_entropy=1.5, max_new_tokens=40)
    assert violations(done) == []
    fused = next(step for step in done.steps if step.decision.chosen == "fused" and step.commit.n_accepted > 1)
    assert fused.record(ADL).L_acc == 1


def test_every_pass_is_recorded_where_there_are_several():
    assert run(STUB, shape="chain").steps[0].record(Lattice).passes == ()
    done = run(STUB, shape="chain", passes=3, k_max=5, k_min=5)
    passes = done.steps[0].record(Lattice).passes
    assert [len(p.decided) for p in passes] == [2, 2, 1]
    assert sorted(i for p in passes for i in p.decided) == [0, 1, 2, 3, 4]
    last = done.steps[0].record(Lattice).positions
    for seen in passes:
        for i in seen.decided:  # a decided position keeps the candidates it was decided from
            first = seen.cand[i][0]
            assert (first.token, math.log(first.p)) == (last[i].cand[0].token, pytest.approx(last[i].cand[0].logp_dlm))
    assert violations(done) == []
    assert parse_trace(done.to_json()) == done


def lukewarm(p: float):
    """Logits of a two-token vocabulary."""
    return [math.log(p), math.log(1 - p)]


def test_the_papers_ratio_test_is_biased_and_the_exact_rule_is_not():
    """p = (0.6, 0.4), q = (0.9, 0.1), and the search always drafts token 0: it passes with 0.6 / 0.9.

    Rejected, the residual max(p − q, 0) is all token 1. Exact would be 0.6.
    """
    target = StubModel(lambda ids: lukewarm(0.6), vocab_size=2)
    models = Models(target, ScriptedDiffusion(lambda ids, i, known: lukewarm(0.9)))
    values = {"prompt": (0, 0), "shape": "chain", "temperature": 1.0, "max_new_tokens": 2, "k_max": 1, "k_min": 1}

    def share(rule: str, draws: int = 1500) -> float:
        first = [run(models, sampling_rule=rule, seed=seed, **values).output_ids[0] for seed in range(draws)]
        return first.count(0) / draws

    assert share("exact") == pytest.approx(0.6, abs=0.05)
    assert share("p/q") == pytest.approx(0.6 / 0.9, abs=0.04)
    greedy = {**values, "temperature": 0.0}
    assert run(models, sampling_rule="p/q", **greedy).output_ids == run(models, **greedy).output_ids


def test_the_ratio_test_is_refused_for_trees():
    with pytest.raises(ReSpecError, match="choose shape chain"):
        run(STUB, sampling_rule="p/q", shape="tree")


def test_proxies_change_the_search_and_none_leaves_the_model_alone():
    for proxy in ("corpus", "ngram", "recycling", "none"):
        done = run(STUB, proxy=proxy)
        assert violations(done) == []
        lattice = done.steps[0].record(Lattice)
        assert (lattice.lambda_dlm == 1.0) == (proxy == "none")
        assert (lattice.beams[0].ngram_sum is None) == (proxy == "none")


def test_the_target_without_features_drafts_nothing_in_the_first_round():
    target = tiny_model(seed=1)
    head = tiny_head(target)
    done = run(Models(target, head, tiny_block(head)), prompt=(3,))
    assert "has not seen a feature" in done.steps[0].decision.reason
    assert done.steps[0].record(ADL) is None
    assert violations(done) == []

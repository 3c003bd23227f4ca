"""Acceptance by position, mean lengths in others' conventions, rates that may not exist, and what a run says of itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from tiny import StubModel, count_up, id_store, one_hot, tiny_block, tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete, decode
from respec_core.methods.size_rule import size_rule
from respec_core.settings.from_trace import config_from_trace
from respec_core.trace.events import Committed, TraceFolder
from respec_core.trace.mean_lengths import LENGTHS, mean_lengths, spec_bench, with_bonus, without_bonus
from respec_core.trace.notes import context_note, loop_note, notes
from respec_core.trace.positions import by_position
from respec_core.trace.rates import Rate, hit_rate, level_acceptance, node_acceptance, told, trigger_rate
from respec_core.trace.round import Commit, Decision, Node, Step, Trees
from respec_core.trace.schema import PositionAcceptance
from respec_core.trace.summary import GLOSSARY, summarise

PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 4)


def step(parents: tuple[int, ...], path: tuple[int, ...], stopped=None) -> Step:
    """A round whose nodes 1, 2 … hang below ``parents`` and whose target accepted ``path``."""
    nodes = [Node(id=0, parent=-1, depth=0, token=0, text="")]
    for i, parent in enumerate(parents, 1):
        nodes.append(Node(id=i, parent=parent, depth=nodes[parent].depth + 1, token=i, text="", sources=("model",)))
    n = len(path)
    commit = Commit(path_node_ids=path, n_accepted=n, n_strict=n, n_relaxed=0, extra=None, emitted_ids=path,
                    stopped=stopped)  # fmt: skip
    decision = Decision(chosen="model", rule="always", reason="")
    return Step(i=0, ctx_len=1, phase_ms={}, decision=decision, trees=Trees(final=tuple(nodes)), commit=commit)


def test_a_depth_that_was_not_drafted_is_no_rejection():
    steps = [
        step((0, 1, 2), (1, 2)),  # a chain of three, the third rejected
        step((0,), (1,)),  # one token, taken: depth two was not drafted
        step((), ()),  # nothing drafted
        step((0, 0, 2, 3), (1,)),  # the accepted branch ends where the other goes on: not judged at depth two
        step((0, 1), (), stopped="length"),  # cut short: says nothing
    ]
    assert by_position(steps) == (
        PositionAcceptance(depth=1, drafted=3, judged=3, accepted=3, conditional=1.0, unconditional=1.0),
        PositionAcceptance(depth=2, drafted=2, judged=1, accepted=1, conditional=1.0, unconditional=0.5),
        PositionAcceptance(depth=3, drafted=2, judged=1, accepted=0, conditional=0.0, unconditional=0.0),
    )
    assert by_position([step((0, 0, 2), (1,))])[1].conditional is None
    assert by_position([]) == ()


@pytest.mark.parametrize("method", [m.name for m in METHODS])
def test_counts_by_position_fit_together_in_every_method(method, tiny_models):
    config = find_method(method).configure({"max_new_tokens": 32, "rule": "strict", "budget": "own"})
    run = complete(Request(config, PROMPT), tiny_models)
    assert run.summary.acceptance_by_position == by_position(run.steps)
    positions = run.summary.acceptance_by_position
    assert [p.depth for p in positions] == list(range(1, len(positions) + 1))
    for p in positions:
        assert p.accepted <= p.judged <= p.drafted
    for before, after in pairwise(positions):
        assert after.judged <= before.accepted and after.drafted <= before.drafted
    counted = [s for s in run.steps if s.commit.stopped is None]
    assert sum(p.accepted for p in positions) == sum(s.commit.n_accepted for s in counted)


def test_a_run_that_goes_on_is_summed_as_if_it_ended_there(tiny_models):
    config = find_method("respec-strict").configure({"max_new_tokens": 24, "ignore_eos": True})
    folder = TraceFolder()
    for event in decode(Request(config, PROMPT), tiny_models):
        folder.add(event)
        run = folder.run()
        said = run.summary
        assert folder.summary() == said == summarise(run.steps, run.tokens, said.wall_s, said.prefill_s)
        if isinstance(event, Committed):
            assert said.wall_s == pytest.approx(sum(sum(s.phase_ms.values()) for s in run.steps) / 1e3)
    assert said.steps == len(run.steps) > 1 and run.finish_reason == "length"


def test_mean_lengths_as_others_count_them():
    """llama.cpp printed 2.92 for 87 drafts, 259 tokens drafted, 167 of them accepted."""
    assert with_bonus(167, 87) == pytest.approx(2.92, abs=0.005)
    assert without_bonus(167, 87) == pytest.approx(1.92, abs=0.005)
    assert spec_bench(167 + 87, 87) == pytest.approx(with_bonus(167, 87))  # every round drafted
    assert spec_bench(167 + 100, 100) == pytest.approx(2.67)  # thirteen more did not
    assert with_bonus(0, 0) is None and without_bonus(0, 0) is None and spec_bench(0, 0) is None


def test_a_runs_mean_lengths_are_named_in_the_glossary(tiny_models):
    config = find_method("sam").configure({"max_new_tokens": 40, "budget": "own"})
    run = complete(Request(config, PROMPT), tiny_models)
    lengths = mean_lengths(run)
    assert set(lengths) == set(LENGTHS) <= set(GLOSSARY)
    drafts = run.summary.draft_rounds
    assert 0 < drafts < len(run.steps)  # it abstains at times: the conventions part
    assert lengths["mean length (Spec-Bench)"] == run.summary.mat
    assert lengths["mean length (vLLM, llama.cpp)"] == lengths["mean length without bonus"] + 1


@pytest.mark.parametrize(
    ("method", "drafts", "triggers"),
    [("vanilla", False, False), ("pld", True, False), ("eagle2", True, False), ("rasd", True, False),
     ("sam", True, True), ("respec-strict", True, True)],
)  # fmt: skip
def test_rates_that_do_not_exist_are_none(method, drafts, triggers, tiny_models):
    config = find_method(method).configure({"max_new_tokens": 24, "budget": "own"})
    run = complete(Request(config, PROMPT), tiny_models)
    nodes, levels, fired = node_acceptance(run), level_acceptance(run), trigger_rate(run)
    assert (nodes is not None) == (levels is not None) == drafts
    assert (fired is not None) == triggers
    assert (hit_rate(run) is not None) == bool(run.summary.retrieval_rounds)
    if drafts:
        assert nodes.share == run.summary.acceptance_rate and nodes.whole == run.summary.drafted
        assert nodes.share <= levels.share  # side branches are no levels
    if triggers:
        assert fired.share == run.summary.trigger_rate and fired.whole == len(run.steps)


def test_a_method_that_found_nothing_has_no_rates():
    run = complete(Request(find_method("sam").configure({"max_new_tokens": 4}), (1, 2, 3)), Models(StubModel(count_up)))
    assert (told(node_acceptance(run)), told(hit_rate(run)), told(trigger_rate(run))) == ("–", "–", "0 of 4")


def test_levels_count_a_trees_branches_once_and_few_are_told_as_counts():
    steps = (step((0, 0, 0, 1, 1), (1,)), step((0, 1), (1, 2)), step((0,), (), stopped="length"))
    run = complete(
        Request(find_method("vanilla").configure({"max_new_tokens": 2}), (1, 2)), Models(StubModel(count_up))
    )
    run = run.model_copy(update={"steps": steps})
    assert level_acceptance(run) == Rate(3, 4)
    assert node_acceptance(run) == Rate(3, 8)
    assert (told(Rate(0, 1)), told(Rate(3, 19)), told(Rate(1, 20)), told(None)) == ("0 of 1", "3 of 19", "5 %", "–")


@pytest.mark.parametrize(("values", "words"), [({}, "auto"), ({"budget": "own"}, "own"), ({"budget": 9}, "at most 9")])
def test_the_size_rule_is_read_off_the_trace(values, words):
    def read(config):
        return size_rule(config_from_trace(config, "pld"))

    assert read(find_method("pld").configure(values).model_dump(mode="json")) == words
    assert read(find_method("vanilla").configure().model_dump(mode="json")) is None
    assert read({}) is None
    assert read({"method": "pld", "drafting": {"budget_rule": ["auto"]}}) is None


def test_a_text_that_loops_says_so():
    cycle = Models(StubModel(lambda ids: one_hot((ids[-1] + 1) % 5)))
    run = complete(Request(find_method("pld").configure({"max_new_tokens": 40}), (1, 2, 3)), cycle)
    assert loop_note(run) in notes(run)
    assert "the same 5 tokens 8 times over, 40 of 40 tokens" in loop_note(run)
    assert "not representative" in loop_note(run)
    assert loop_note(run.model_copy(update={"output_ids": tuple(range(40))})) is None


def test_a_context_beyond_what_the_drafter_was_trained_on_is_noted():
    target = tiny_model(seed=1)
    head = tiny_head(target)
    head.config = replace(head.config, context=40)
    models = Models(target, DraftModel(tiny_model(seed=2, layers=1)), id_store(PROMPT), head, tiny_block(head))
    for method in ("eagle2", "rasd", "diffuspec", "diffuspec-retrieval", "respec-strict"):
        config = find_method(method).configure({"max_new_tokens": 30, "budget": "own"})
        run = complete(Request(config, PROMPT), models)
        for s in run.steps:
            beyond = s.ctx_len > 40 and s.decision.chosen in ("model", "fused", "diffusion")
            assert s.decision.trained_context == (40 if beyond else None)
        assert "trained on up to 40" in context_note(run)
        assert context_note(complete(Request(config, PROMPT[:4]), models)) is None
    run = complete(Request(find_method("pld").configure({"max_new_tokens": 30}), PROMPT), models)
    assert context_note(run) is None
    head.config = replace(head.config, context=None)
    run = complete(Request(find_method("eagle2").configure({"max_new_tokens": 30}), PROMPT), models)
    assert context_note(run) is None

"""What lessons compute: the accept rule, the simulator on a trace, the automaton, the search over phrases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.learn.distributions import distribution, kept_share, outcome, residual, tempered
from app.learn.knobs.knob import KnobFields
from app.learn.knobs.mix import Phrases
from app.learn.knobs.width import width_readings
from app.learn.question import counted
from app.learn.recorded import recorded_costs, recorded_run
from app.learn.simulator import gated, replayed, stage_of
from app.learn.widgets.automaton import grown
from app.learn.widgets.figure import FigureFields, figure_view
from app.learn.widgets.growth import GrowthFields, growth_view
from app.learn.widgets.mask import MaskFields, mask_view
from respec_core.errors import ReSpecError

weights = st.lists(st.integers(1, 50), min_size=3, max_size=3)


@given(weights, weights)
def test_with_the_rule_what_is_written_follows_the_target(a: list[int], b: list[int]) -> None:
    p, q = (tuple(x / sum(w) for x in w) for w in (a, b))
    written = outcome(p, q, tuple(min(1.0, x / y) for x, y in zip(p, q, strict=True)))
    assert written == pytest.approx(p)
    assert kept_share(p, q) == pytest.approx(1 - sum(max(x - y, 0) for x, y in zip(p, q, strict=True)))
    assert sum(residual(p, q)) == pytest.approx(1)


@given(weights)
def test_temperature_one_changes_nothing_and_a_low_one_takes_the_favourite(w: list[int]) -> None:
    q = tuple(x / sum(w) for x in w)
    assert tempered(q, 1.0) == pytest.approx(q)
    assert tempered(q, 0.3)[q.index(max(q))] >= max(q) - 1e-12


@pytest.mark.parametrize("text", ["", "1", "0.5 0.6", "a b", "-0.5 1.5", "nan 1", " ".join(["0.1"] * 10)])
def test_what_is_no_distribution_is_refused(text: str) -> None:
    with pytest.raises(ReSpecError):
        distribution(text)


@pytest.mark.parametrize("name", ["summary-sam", "copy-code-sam", "story-sam"])
def test_the_simulator_finds_the_rounds_that_the_run_had(name: str) -> None:
    run = recorded_run(name)
    found = replayed(run, stage_of(run), run.method, run.config["params"])
    assert [round.emitted for round in found.rounds] == [step.commit.emitted_ids for step in run.steps]
    assert [len(round.draft.tree) for round in found.rounds] == [len(step.trees.final) for step in run.steps]


def test_a_round_with_a_gate_at_a_recorded_entropy_triggers_there() -> None:
    run = recorded_run("story-sam")
    gate = {"switch": "gate", "when_triggered": "retrieval", "fallback": "none", "lookback": 1}
    found = replayed(run, stage_of(run), "respec-strict", {**gate, "theta_entropy": 1.0})
    for round in found.rounds:
        before = run.tokens[round.position - 1].entropy if round.position else None
        assert round.decision.triggered == (before is not None and before <= 1.0)


def test_the_automaton_matches_the_longest_ending_that_occurred_before() -> None:
    words = ["a", "b", "a", "b", "c", "a", "b"]
    for n, step in enumerate(grown(" ".join(words)), 1):
        text = words[:n]
        endings = [text[i:] for i in range(n)]
        earlier = [e for e in endings if any(text[j : j + len(e)] == e for j in range(n - len(e)))]
        assert step["matched"].split() == (earlier[0] if earlier else [])
        assert len(step["lengths"]) == len(step["links"])
        reachable = {0} | {edge["end"] for edge in step["edges"]}
        assert reachable == set(range(len(step["lengths"])))


def test_favourites_of_each_position_make_what_no_phrase_is_and_the_search_mends_it() -> None:
    phrases = Phrases.parse("of course x 4 | no problem x 3 | big problem x 3")
    assert phrases.favourites() == phrases.best(1.0) == "of problem"
    assert phrases.best(0.5) == "of course"


def test_a_mask_row_holds_a_node_and_its_ancestors_and_nothing_else() -> None:
    run = recorded_run("summary-rasd")
    view = mask_view(MaskFields(trace="summary-rasd", round=3, nodes=20), recorded_run)
    nodes = run.steps[2].trees.final
    assert view["committed"] == run.steps[2].ctx_len
    for i, row in enumerate(view["rows"]):
        ancestors, at = {i}, i
        while nodes[at].parent >= 0:
            at = nodes[at].parent
            ancestors.add(at)
        assert set(row["sees"]) == ancestors


def test_a_chain_is_what_is_left_of_a_tree_at_width_one_and_all_of_it_at_the_widest() -> None:
    run = recorded_run("story-respec-strict")
    readings = width_readings(KnobFields(knob="width", trace="story-respec-strict"), recorded_run)
    depths = sum(max(node.depth for node in step.trees.final) for step in run.steps)
    assert readings[0]["sentence"].split()[0].isdecimal()
    assert int(readings[0]["sentence"].split()[0]) <= depths
    shares = [one["metrics"]["nodes_share"] for one in readings]
    assert shares == sorted(shares) and readings[-1]["metrics"]["tokens_share"] == 1
    accepted = sum(step.commit.n_accepted for step in run.steps)
    assert readings[-1]["metrics"]["tokens_per_pass"] == pytest.approx(1 + accepted / len(run.steps))


@pytest.mark.parametrize("fires", [True, False])
def test_the_trigger_s_drawing_has_theta_and_the_verdict_of_a_replayed_round(fires: bool) -> None:
    fields = FigureFields(of="trigger", trace="story-respec-strict", theta=1.5, fires=fires)
    view = figure_view(fields, recorded_run)
    assert ("≤ θ = 1.50" in view["sentence"]) == fires and ("> θ = 1.50" in view["sentence"]) != fires
    run = recorded_run("story-respec-strict")
    windows = [one.decision.H for one in gated(run, stage_of(run), 1.5).rounds]
    assert view["figure"]["data"][0]["y"] in windows and len(view["figure"]["data"][0]["y"]) == 3
    assert view["figure"]["layout"]["annotations"][0]["text"] == "θ 1.5"


def test_a_tree_grows_level_by_level_and_reranking_keeps_what_was_verified() -> None:
    fields = GrowthFields(trace="tests-eagle2", nodes=40)
    view = growth_view(fields, recorded_run)
    step = recorded_run("tests-eagle2").steps[int(view["title"].split()[1]) - 1]
    *levels, reranked, sized, judged = view["stages"]
    sizes = [len(stage["tree"]["marks"]) for stage in levels]
    assert sizes == sorted(sizes) and sizes[-1] == len(reranked["tree"]["marks"]) == 41
    kept, sent = ([m["id"] for m in stage["tree"]["marks"] if m["look"] == "sent"] for stage in (reranked, sized))
    assert step.trees.drafter is not None
    nodes = {node.id: node for node in step.trees.drafter}
    assert len(sent) == len(step.trees.final) - 1 and all(nodes[one].kept for one in sent) and set(sent) < set(kept)
    assert all(nodes[one].pruned_by != "rerank" for one in kept) and len(kept) < 40
    assert f"the best {sum(n.pruned_by != 'rerank' for n in nodes.values()) - 1} stay" in reranked["sentence"]
    taken = [mark for mark in judged["tree"]["marks"] if mark["look"] == "strict_accept"]
    assert len(taken) == step.commit.n_accepted


def test_prices_of_forwards_never_fall() -> None:
    costs = recorded_costs()
    prices = [costs.ms(n) for n in range(1, 64)]
    assert prices == sorted(prices)


def test_options_of_a_count_hold_the_right_one_and_few_others() -> None:
    question = counted("?", 7, (0, 1, 2, 90, -3), "")
    assert question.options[question.right] == "7"
    assert len(question.options) == 4 and "-3" not in question.options

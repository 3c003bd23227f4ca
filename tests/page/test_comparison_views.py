"""Compare's views: computed from traces, right where they can be counted by hand, and honest about what a timing says."""

from __future__ import annotations

import math

import pytest

from app.compare.comparison import compared
from app.compare.parting import parting
from app.compare.trees import drawn
from app.compare.views import Comparison
from app.compare.why import ONCE
from app.setup import setup_of
from app.showcases import SHOWCASES, showcase_run
from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import parse_trace
from respec_core.trace.record import Candidate
from respec_core.trace.schema import Run
from respec_core.trace.speed import Speed

PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 4)
NAMES = ("B (ours)", "A (theirs)")


def made(models: Models, name: str, **values) -> Run:
    config = find_method(name).configure({"budget": "own", "max_new_tokens": 12, "rule": "strict"} | values)
    return complete(Request(config, PROMPT), models)


@pytest.fixture(scope="module")
def four(tiny_models: Models) -> tuple[Run, ...]:
    return tuple(made(tiny_models, name) for name in ("sam", "vanilla", "eagle2", "respec-strict"))


def paced(run: Run, **phases: float) -> Run:
    """The run with these milliseconds in every round."""
    return run.model_copy(update={"steps": tuple(s.model_copy(update={"phase_ms": phases}) for s in run.steps)})


def with_token(run: Run, at: int, **update) -> Run:
    token = run.tokens[at].model_copy(update=update)
    tokens = (*run.tokens[:at], token, *run.tokens[at + 1 :])
    return run.model_copy(update={"tokens": tokens, "output_ids": tuple(t.id for t in tokens)})


# --- which runs ---------------------------------------------------------------------------------------------------


def test_too_few_too_many_and_other_prompts_are_refused_in_a_sentence(four: tuple[Run, ...]) -> None:
    with pytest.raises(ReSpecError, match="two to four runs; these are 1"):
        compared(four[:1])
    with pytest.raises(ReSpecError, match="these are 5"):
        compared([*four, four[0]])
    with pytest.raises(ReSpecError, match="Run B answers another prompt than run A"):
        compared([four[0], four[1].model_copy(update={"prompt_text": "another"})])
    with pytest.raises(ReSpecError, match="Run C wrote nothing"):
        compared([*four[:2], four[2].model_copy(update={"tokens": (), "output_ids": (), "steps": ()})])


def test_fresh_opened_and_recorded_runs_compare_alike(four: tuple[Run, ...]) -> None:
    opened = [parse_trace(run.to_json()) for run in four]
    view = compared(four)
    assert compared(opened) == view
    assert Comparison.model_validate_json(view.model_dump_json()) == view
    by_example: dict[str, list[str]] = {}
    for showcase in SHOWCASES:
        by_example.setdefault(showcase.example, []).append(showcase.name)
    for names in by_example.values():
        runs = [run for name in names if (run := showcase_run(name))]
        if len(runs) > 1:
            assert [lane.run_id for lane in compared(runs[:4]).lanes] == [run.run_id for run in runs[:4]]


# --- table, race, strips ------------------------------------------------------------------------------------------


def test_rows_are_counted_from_the_trace(four: tuple[Run, ...]) -> None:
    view = compared([paced(run, draft=1.0, verify=3.0) for run in four])
    for lane, run in zip(view.lanes, four, strict=True):
        row = lane.numbers
        assert (row.tokens, row.passes) == (12, len(run.steps))
        assert row.per_pass == pytest.approx(12 / len(run.steps))
        assert row.drafting == pytest.approx(0.25)
        assert sum(source.tokens for source in row.sources) == 12
        nodes = sum(len(step.trees.final) - 1 for step in run.steps)
        assert (row.nodes or 0) == pytest.approx(nodes / len(run.steps))
    plain = view.lanes[1].numbers
    assert (plain.nodes, plain.trigger.part, plain.acceptance.part) == (None, None, None)
    assert [(s.source, s.share) for s in plain.sources] == [("target", 1.0)]
    assert view.lanes[3].numbers.trigger.whole == len(four[3].steps)


def test_rounds_tile_the_positions_and_the_clock(four: tuple[Run, ...]) -> None:
    view = compared([paced(run, draft=2.0, verify=3.0) for run in four])
    assert view.reference == 1  # plain decoding, wherever it stands
    for lane in view.lanes:
        at, ms = 0, 0.0
        for round in lane.rounds:
            assert (round.start, round.start_ms) == (at, pytest.approx(ms))
            at, ms = round.end, round.end_ms
        assert at == len(lane.tokens) == 12
        assert ms == pytest.approx(5.0 * len(lane.rounds)) == pytest.approx(lane.total_ms)


def test_there_is_a_tree_where_something_was_drafted(four: tuple[Run, ...]) -> None:
    for trees, run in zip(drawn(four), four, strict=True):
        assert [tree is not None for tree in trees] == [len(step.trees.final) > 1 for step in run.steps]
    assert any(drawn(four)[2]) and not any(drawn(four)[1])


# --- settings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_preset_is_named_and_so_is_what_was_changed(method) -> None:
    for preset in method.presets:
        setup = setup_of(method.configure({"temperature": 0.7}, preset=preset.name))
        assert setup["changed"] == [{"name": "temperature", "label": "Temperature", "value": "0.7"}]
        assert method.configure(preset=setup["preset"]) == method.configure(
            preset=preset.name
        )  # some presets are equal
    if not method.presets:
        assert setup_of(method.configure())["preset"] == ""


def test_changes_of_size_and_strange_methods_are_told() -> None:
    changed = setup_of(find_method("pld").configure({"budget": 7}))["changed"]
    assert {setting["name"]: setting["value"] for setting in changed} == {"budget_rule": "fixed", "budget": "7"}
    unknown = find_method("pld").configure().model_copy(update={"method": "elsewhere", "params": {"x": True}})
    assert [setting["value"] for setting in setup_of(unknown)["changed"]] == ["on"]


# --- where texts part ---------------------------------------------------------------------------------------------


def test_equal_texts_do_not_part(four: tuple[Run, ...]) -> None:
    assert all(lane.parting is None for lane in compared(four).lanes)


def test_a_tie_is_told_with_its_margin_and_a_wide_gap_is_not_called_one(four: tuple[Run, ...]) -> None:
    sam, plain = four[:2]
    other = (plain.tokens[5].id + 1) % 90
    best = Candidate(token=plain.tokens[5].id, text="x", p=0.4)

    def gap(p: float, dtype: str = "fp32"):
        near = with_token(plain, 5, top=(best, Candidate(token=other, text="y", p=p)))
        target = {**plain.models, "target": {**plain.models["target"], "dtype": dtype}}
        ours = with_token(sam, 5, id=other).model_copy(update={"models": target})
        found = parting(ours, near.model_copy(update={"models": target}), NAMES)
        assert found is not None and found.position == 5
        return found

    tie = gap(0.3999)
    assert tie.kind == "tie" and tie.margin == pytest.approx(math.log(0.4 / 0.3999))
    assert f"{tie.margin:.4f} logits apart" in tie.sentence
    assert gap(0.3).kind == "unexplained" and "looks like a fault" in gap(0.3).sentence
    assert gap(0.3, "bf16").kind == "tie"
    missing = parting(with_token(sam, 5, id=other), with_token(plain, 5, top=(best,)), NAMES)
    assert missing is not None and (missing.kind, missing.margin) == ("unexplained", None)


def test_a_relaxed_token_names_what_the_target_wanted(four: tuple[Run, ...]) -> None:
    sam, plain = four[:2]
    wish = Candidate(token=plain.tokens[3].id, text="wanted", p=0.5)
    relaxed = with_token(sam, 3, id=91, piece="passed", p=0.25, rank=2, wish=wish, outcome="relaxed_accept")
    found = parting(relaxed, plain, NAMES)
    assert found is not None and (found.kind, found.position) == ("relaxed", 3)
    assert "B (ours) let a drafted token pass, ‘passed’ (p 0.25, rank 2)" in found.sentence
    assert "the target wanted ‘wanted’ (p 0.50)" in found.sentence


def test_ends_sampling_draws_targets_and_prompts_are_told_apart(four: tuple[Run, ...], tiny_models: Models) -> None:
    sam, plain = four[:2]

    def kind(run: Run, reference: Run = plain) -> str:
        found = parting(run, reference, NAMES)
        assert found is not None
        return found.kind

    short = made(tiny_models, "sam", max_new_tokens=7)
    found = parting(short, plain, NAMES)
    assert found is not None and (found.kind, found.position, found.ours) == ("end", 7, "")
    assert "B (ours) ends because its token limit was reached" in found.sentence
    warm = [made(tiny_models, "vanilla", temperature=2.0, seed=seed) for seed in (1, 2)]
    assert kind(warm[0]) == "sampling"
    assert kind(warm[0], warm[1]) == "sampling"
    changed = with_token(warm[0], 4, id=(warm[0].tokens[4].id + 1) % 90)
    assert kind(changed, warm[0]) == "draw"
    odd = with_token(sam, 2, id=(sam.tokens[2].id + 1) % 90, piece="odd")
    assert kind(odd.model_copy(update={"models": {"target": {"name": "another"}}})) == "target"
    assert kind(odd.model_copy(update={"prompt_ids": (1, 2)})) == "prompt"
    config = sam.settings.model_copy(update={"verify": sam.settings.verify.model_copy(update={"rule": "relaxed"})})
    assert kind(odd.model_copy(update={"config": config.model_dump(mode="json")})) == "lossy"


# --- why ----------------------------------------------------------------------------------------------------------


def test_the_factors_multiply_to_the_ratio_of_the_times(four: tuple[Run, ...]) -> None:
    why = compared(four).why
    assert why.ratio is not None and why.ratio >= 1
    assert math.prod(factor.ratio for factor in why.factors) == pytest.approx(why.ratio)


def test_one_timing_is_no_verdict_and_repeats_are_only_where_they_do_not_meet(four: tuple[Run, ...]) -> None:
    quick, slow = paced(four[0], draft=1.0, verify=9.0), paced(four[1], verify=40.0)

    def why(*speeds: Speed):
        return compared([quick, slow], speeds).why

    once = why()
    assert (once.ahead, once.other, once.settled) == (0, 1, False)
    assert "A (SAM-Decoding) is ahead of B" in once.sentence and ONCE in once.sentence
    assert (
        "a cheaper pass (9.0 ms for" in once.sentence
        and "Against A: more drafting (10 % of its time against 0 %)" in once.sentence
    )
    plain = Speed(1.0, 1.0, 1.0, 3, silent=True)
    apart = why(Speed(1.5, 1.2, 1.9, 3, silent=True), plain)
    assert apart.settled and "Silent repeats bear it out" in apart.sentence
    meet = why(Speed(1.5, 0.9, 1.9, 3, silent=True), plain)
    assert not meet.settled and "do not tell them apart" in meet.sentence
    shown = why(Speed(1.5, 1.5, 1.5, 1, silent=False), plain)
    assert not shown.settled and ONCE in shown.sentence
    turned = why(Speed(0.5, 0.4, 0.6, 3, silent=True), plain)
    assert (turned.ahead, turned.settled) == (1, True) and "the better run here" in turned.sentence


def test_runs_without_times_have_no_leader(four: tuple[Run, ...]) -> None:
    why = compared([paced(run) for run in four[:2]]).why
    assert why.ahead is None and not why.factors and "hold no times" in why.sentence


def test_other_texts_and_loops_are_said(four: tuple[Run, ...], tiny_models: Models) -> None:
    looping = with_token(four[0], 0).model_copy(update={"output_ids": (7,) * 12})
    sentence = compared([looping, four[1]]).why.sentence
    assert "The text of A (SAM-Decoding) loops" in sentence and "The texts differ" in sentence

"""Draft sizes: fixed, and what pays for itself."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path
from statistics import geometric_mean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import COSTS, StubModel, one_hot, tiny_model

from respec_core.engine.decoding import Request
from respec_core.engine.sizing import Sizer, paying
from respec_core.engine.tree import DraftTree
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models import costs
from respec_core.models.costs import SIZES, cost_curve, measure
from respec_core.settings.run_config import DraftingSettings
from respec_core.trace.cost_curve import CONTEXT, CostCurve, learnt
from respec_core.trace.round import Hit

FLAT = CostCurve(((1, 10.0), (64, 10.0)))
STEEP = CostCurve(((1, 10.0), (64, 640.0)))
MODEL = tiny_model()
AUTO = DraftingSettings(budget="auto")


def chain(p: float, length: int = 20) -> DraftTree:
    return DraftTree.chain(0, [1] * length, "dynamic", scores=[p ** (i + 1) for i in range(length)])


def test_shorthands():
    assert DraftingSettings(budget="auto").budget_rule == "auto"
    assert (DraftingSettings(budget=7).budget_rule, DraftingSettings(budget=7).budget) == ("fixed", 7)
    assert DraftingSettings().budget_rule == "auto"
    assert DraftingSettings(budget="own").budget_rule == "own"


def test_where_nodes_are_free_all_are_kept():
    tree, sizing = Sizer(AUTO, FLAT).fit(chain(0.5))
    assert len(tree) - 1 == 20
    assert sizing.expected_tokens == pytest.approx(1 + sum(0.5 ** (i + 1) for i in range(20)))


def test_where_nodes_cost_a_whole_pass_none_is_kept():
    tree, sizing = Sizer(AUTO, STEEP).fit(chain(0.9))
    assert (len(tree), sizing.kept) == (1, 0)


def test_a_node_is_kept_while_its_gain_is_worth_its_time():
    curve = CostCurve(((1, 10.0), (11, 20.0), (64, 73.0)))  # a node costs a tenth of a pass
    tree, sizing = Sizer(AUTO, curve).fit(chain(0.7))
    assert sizing.kept == len([i for i in range(20) if 0.7 ** (i + 1) > 0.1])
    assert len(tree) - 1 == sizing.kept


@given(
    st.lists(st.tuples(st.integers(1, 40), st.floats(0.0, 9.0)), min_size=1, max_size=6),
    st.lists(st.floats(0.01, 0.99), min_size=1, max_size=30),
)
def test_no_chain_is_refused_of_which_something_pays(bends, scores):
    """Whatever the curve: what is refused at a look is what weighing every length refuses."""
    further, dearer = zip(*bends, strict=True)
    curve = CostCurve(tuple(zip(accumulate(further, initial=1), accumulate(dearer, initial=10.0), strict=True)))
    sizer = Sizer(AUTO, curve)
    rate = sizer.worth.rate
    kept = sizer.fit(DraftTree.chain(0, [1] * len(scores), "dynamic", scores=scores))[1].kept
    assert kept == paying([*accumulate(scores, min)], rate, curve)


def test_claims_that_do_not_hold_lose_their_weight():
    curve = CostCurve(((1, 10.0), (11, 20.0), (64, 73.0)))
    sizer = Sizer(AUTO, curve)
    before = sizer.fit(chain(0.7))[1].kept
    for _ in range(10):
        sizer.observe(chain(0.7), (), (1,), {"verify": 30.0})
    assert sizer.fit(chain(0.7))[1].kept < before


def test_sizes_follow_what_forwards_cost_in_this_run():
    """Further tokens are dearer than the curve says: fewer are kept, and one token's price stays."""
    curve = CostCurve(((1, 10.0), (11, 20.0), (64, 73.0)))
    sizer, dear = Sizer(AUTO, curve), curve.fitted(1.0, 2.0)
    before = sizer.fit(chain(0.9))[1]
    for i in range(40):
        tree = chain(0.9, i % 2 * 10)
        sizer.observe(tree, range(1, len(tree)), (1,) * len(tree), {"verify": dear.ms(len(tree))})
    after = sizer.fit(chain(0.9))[1]
    assert after.kept < before.kept
    assert (after.plain_ms, after.forward_ms) == pytest.approx((10.0, dear.ms(1 + after.kept)), rel=0.1)
    assert after.factors == pytest.approx((1.0, 2.0), rel=0.1)


def copied(match: int, length: int = 6) -> tuple[DraftTree, tuple[Hit, ...]]:
    """A copy of ones behind a match of so many tokens."""
    ones = (1,) * length
    hit = Hit(
        id=0, corpus="prompt", end_pos=1, match_len=match, snippet="", continuation="", snippet_ids=(0,), cont_ids=ones
    )
    return DraftTree.chain(0, ones, "dynamic", hits=(0,)), (hit,)


def test_a_copy_is_worth_what_its_match_is():
    short, long = (Sizer(AUTO, FLAT).fit(*copied(match))[1].expected_tokens for match in (1, 3))
    assert short == pytest.approx(1 + 0.1 * (1 + 0.5 * (1 + 0.65 * (1 + 0.7 * (1 + 0.75 * (1 + 0.75))))))
    assert long == pytest.approx(1 + 0.65 * (1 + 0.7 * (1 + 0.75 * (1 + 0.75 * (1 + 0.75 * (1 + 0.75))))))


def test_copies_that_fail_are_no_longer_sent_and_those_that_would_have_been_right_are_again():
    curve = CostCurve(((1, 10.0), (2, 11.5), (64, 104.5)))
    sizer, draft = Sizer(AUTO, curve), copied(2)
    kept = sizer.fit(*draft)[0]
    assert len(kept) > 1
    for _ in range(12):
        tree = sizer.fit(*draft)[0]
        sizer.observe(tree, (), (2,), {"verify": curve.ms(len(tree))}, draft[1])
    assert len(sizer.fit(*draft)[0]) == 1
    for _ in range(12):  # and none was sent
        sizer.observe(kept.keep([]), (), (1,), {"verify": curve.ms(1)}, draft[1])
    assert len(sizer.fit(*draft)[0]) > 1


def test_a_fused_node_counts_by_the_better_of_its_claims():
    chain_of_ones, hits = copied(1, length=1)
    both = DraftTree.chain(0, [1], "model", scores=[0.9]).merge(chain_of_ones)
    assert both.sources[1] == {"model", "dynamic"}
    assert Sizer(AUTO, FLAT).fit(both, hits)[1].expected_tokens == pytest.approx(1.9)


def test_siblings_have_shares_of_their_parent():
    """Two copies that go on differently cannot both be right."""
    one, (hit,) = copied(3, length=2)
    other = hit.model_copy(update={"id": 1, "cont_ids": (2, 1)})
    both = one.merge(DraftTree.chain(0, (2, 1), "dynamic", hits=(1,)))
    first, second = 0.65, 0.35
    expected = [first, first * 0.7, second, second]
    assert Sizer(AUTO, FLAT).fit(both, (hit, other))[1].expected_tokens == pytest.approx(1 + sum(expected))


def test_runs_from_before_are_checked_by_the_curve_and_their_drafters_scores():
    curve, (tree, hits) = CostCurve(((1, 10.0), (11, 20.0), (64, 73.0))), copied(2)
    sizer = Sizer(AUTO, curve, learns=False)
    before = sizer.fit(tree, hits)[1]
    sizer.observe(tree.keep([]), (), (2,), {"verify": 90.0}, hits)
    after = sizer.fit(tree, hits)[1]
    assert before.expected_tokens == after.expected_tokens == pytest.approx(1 + sum(1 / n for n in range(2, 8)))
    assert (after.factors, after.plain_ms) == (None, 10.0)


def test_a_sampled_chain_is_cut_at_a_length_that_its_own_probabilities_do_not_change():
    curve = CostCurve(((1, 10.0), (11, 20.0), (64, 73.0)))
    kept = [Sizer(AUTO, curve).fit(chain(p), sampled=True)[1].kept for p in (0.1, 0.5, 0.99)]
    assert kept == [6, 6, 6]  # 0.7 ** 6 > 0.1 > 0.7 ** 7
    assert Sizer(AUTO, curve).fit(chain(0.5, length=4), sampled=True)[1].kept == 4


@given(st.integers(1, 20), st.integers(0, 20), st.floats(0.01, 1.0))
def test_where_a_sampled_chain_ends_never_shortens_what_is_kept_of_it(length, more, step):
    """Else a token would be kept or dropped for what the chain's end tells of it."""
    curve = CostCurve(((1, 10.0), (2, 10.0 + 9 * step), (8, 10.0 + 10 * step), (64, 80.0)))  # stairs
    short, long = (Sizer(AUTO, curve).fit(chain(0.5, n), sampled=True)[1].kept for n in (length, length + more))
    assert short == min(length, long)


def test_a_sampled_chain_grows_and_shrinks_with_what_was_accepted():
    curve = CostCurve(((1, 10.0), (11, 20.0), (64, 73.0)))
    taken, refused = Sizer(AUTO, curve), Sizer(AUTO, curve)
    for _ in range(10):
        taken.observe(chain(0.5, 6), range(1, 7), (1,), {"verify": 16.0}, sampled=True)
        refused.observe(chain(0.5, 6), (), (1,), {"verify": 16.0}, sampled=True)
    assert refused.fit(chain(0.5), sampled=True)[1].kept < 6 < taken.fit(chain(0.5), sampled=True)[1].kept


def test_fixed_sizes_cut_and_are_recorded():
    config = find_method("sam").configure({"budget": 3, "len_threshold": 1, "max_new_tokens": 12})
    run = complete(Request(config, tuple(range(8)) * 2), Models(StubModel(lambda ids: one_hot((ids[-1] + 1) % 8))))
    assert {step.decision.budget for step in run.steps if step.decision.triggered} == {3}
    assert max(len(step.trees.final) - 1 for step in run.steps) == 3


def test_the_curve_never_falls_and_reaches_beyond_its_end():
    curve = CostCurve(((1, 10.0), (2, 9.0), (4, 14.0)))
    assert [curve.ms(n) for n in (1, 2, 4)] == [10.0, 10.0, 14.0]
    assert curve.ms(6) == pytest.approx(18.0)


def test_measuring_takes_its_time_and_no_more():
    curve = measure(tiny_model(), seconds=0.3)
    assert [n for n, _ in curve.points] == [1, 2, 4, 8, 16, 32, 64]
    assert all(ms > 0 for _, ms in curve.points)


CONTENT = [
    "",
    "[",
    "[]",
    "{}",
    "null",
    "[[1, 0]]",
    "[[1, 2.0], [2, NaN]]",
    '[["1", 2.0]]',
    "[[1]]",
    "[1, 2]",
    "\x00",
    "[" * 9999,
]


def newly_asked() -> CostCurve:
    """The curve as a process sees it that has not asked before."""
    MODEL.costs = None
    return cost_curve(MODEL)


@pytest.mark.parametrize("content", [*CONTENT, json.dumps([[size, 0.0] for size in SIZES])])
def test_a_damaged_curve_in_the_cache_is_measured_again(tmp_path, monkeypatch, content):
    monkeypatch.setenv("RESPEC_CACHE", str(tmp_path))
    monkeypatch.setattr(
        costs, "measure", lambda model, seconds=0, far=True: CostCurve(tuple((n, float(n)) for n in SIZES))
    )
    curve = newly_asked()
    assert dict(newly_asked().points) == pytest.approx(dict(curve.points))
    file = next((tmp_path / "costs").iterdir())
    file.write_text(content)
    assert newly_asked() == curve
    assert [n for n, _ in json.loads(file.read_text())[0]] == [*SIZES]


@pytest.mark.parametrize(("second", "kept"), [(0.5, 0.5), (2.0, 1.0)])
def test_a_curve_that_was_measured_beside_other_work_becomes_faster_and_never_slower(
    tmp_path, monkeypatch, second, kept
):
    monkeypatch.setenv("RESPEC_CACHE", str(tmp_path))
    found = iter([1.0, second, 3.0])
    monkeypatch.setattr(
        costs,
        "measure",
        lambda model, seconds=0, far=True: CostCurve(tuple((n, n * factor) for factor in [next(found)] for n in SIZES)),
    )
    assert newly_asked().ms(1) == 1.0
    assert newly_asked().ms(1) == pytest.approx(kept) == newly_asked().ms(1)


def test_one_measurement_that_went_wrong_is_outvoted():
    """Of sizes by what they cost beside the others, whatever the hour."""
    true, wrong = CostCurve(((1, 10.0), (2, 11.0), (64, 90.0))), CostCurve(((1, 9.0), (2, 8.0), (64, 80.0)))
    curve = wrong
    for hour in (1.0, 3.0, 1.5, 1.2, 2.0, 4.0, 1.1, 1.3, 2.0, 1.4, 2.0, 1.5):
        curve = learnt(curve, CostCurve(tuple((n, ms * hour) for n, ms in true.points)))
    assert curve.ms(2) / curve.ms(1) == pytest.approx(1.1, abs=0.01)
    assert curve.ms(64) / curve.ms(1) == pytest.approx(9.0, abs=0.05)
    assert curve.ms(1) <= 9.0


@given(st.lists(st.tuples(st.floats(1, 99), st.floats(1, 99)), min_size=2, max_size=7))
def test_what_is_learnt_lies_between_at_the_faster_speed(pairs):
    kept, new = (CostCurve(tuple(enumerate(ms, 1))) for ms in zip(*pairs, strict=True))
    found = learnt(kept, new)
    level = [geometric_mean(ms for _, ms in curve.points) for curve in (kept, new, found)]
    assert level[2] == pytest.approx(min(level[:2]))
    for (_, old), (_, now), (_, ms) in zip(kept.points, new.points, found.points, strict=True):
        between = sorted((old / level[0], now / level[1]))
        assert between[0] * (1 - 1e-9) <= ms / level[2] <= between[1] * (1 + 1e-9)


def test_a_slow_models_curve_is_not_measured_again(tmp_path, monkeypatch):
    monkeypatch.setenv("RESPEC_CACHE", str(tmp_path))
    slow = iter([CostCurve(tuple((n, 1000.0 * n) for n in SIZES))])
    monkeypatch.setattr(costs, "measure", lambda model, seconds=0, far=True: next(slow))
    assert newly_asked() == newly_asked()


@pytest.mark.parametrize("place", ["a file", "below a file", "no home"])
def test_without_a_cache_the_curve_is_measured_every_time(tmp_path, monkeypatch, place):
    (tmp_path / "file").touch()
    where = {"a file": tmp_path / "file", "below a file": tmp_path / "file" / "cache", "no home": Path("")}[place]
    monkeypatch.setenv("RESPEC_CACHE", str(where) if place != "no home" else "")
    if place == "no home":
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    monkeypatch.setattr(costs, "measure", lambda model, seconds=0, far=True: STEEP)
    assert newly_asked() == STEEP


def test_behind_a_long_text_forwards_cost_more_and_larger_ones_most() -> None:
    curve = CostCurve(((1, 10.0), (8, 20.0)), growth=(0.01, 0.002))
    assert curve.behind(CONTEXT) == CostCurve(curve.points)
    assert curve.behind(CONTEXT + 1000).points == ((1, pytest.approx(22.0)), (8, pytest.approx(46.0)))
    assert curve.behind(1).ms(8) < 20
    flat = CostCurve(curve.points)
    assert flat.behind(5000) is flat, "nobody measured it"


def test_what_was_measured_of_context_stays_in_proportion() -> None:
    busy, quiet = CostCurve(((1, 20.0), (8, 40.0)), growth=(0.02, 0.004)), CostCurve(((1, 10.0), (8, 20.0)))
    found = learnt(busy, quiet)
    assert [ms for _, ms in found.points] == pytest.approx([10.0, 20.0])
    assert found.growth == pytest.approx((0.01, 0.002))
    assert learnt(quiet, busy).growth == pytest.approx((0.01, 0.002))
    assert learnt(quiet, quiet).growth is None


@given(st.floats(0, 0.1), st.floats(0, 0.01))
def test_growth_is_found_in_what_forwards_took(once: float, each: float) -> None:
    curve = CostCurve(tuple((n, 10.0 + n) for n in SIZES), growth=(once, each))
    assert costs._growth(curve.points, curve.behind(costs.FAR).points) == pytest.approx((once, each), abs=1e-9)


def test_growth_is_never_below_nothing() -> None:
    near = tuple((n, 10.0 + n) for n in SIZES)
    for once, each in ((-0.01, 0.002), (0.01, -0.0001), (-0.01, -0.01)):
        far = tuple((n, ms + (costs.FAR - CONTEXT) * (once + each * n)) for n, ms in near)
        found = costs._growth(near, far)
        assert min(found) == 0 and (max(found) > 0) == (max(once, each) > 0)


def test_a_run_prices_forwards_behind_its_prompt(monkeypatch) -> None:
    monkeypatch.setattr(MODEL, "costs", CostCurve(COSTS.points, growth=(0.01, 0.001)))
    config = find_method("pld").configure({"max_new_tokens": 2, "budget": "auto"})
    run = complete(Request(config, tuple(range(5, 45))), Models(MODEL))
    assert run.cost_curve == MODEL.costs.behind(40).points != COSTS.points


@pytest.mark.parametrize(("longest", "seconds", "known"), [(512, 1e9, False), (4096, 1e9, True), (4096, 0.0, False)])
def test_context_is_priced_where_the_model_reads_so_far_and_soon(monkeypatch, longest, seconds, known) -> None:
    read = []
    monkeypatch.setattr(MODEL, "max_context", longest)
    monkeypatch.setattr(costs, "READING", seconds)
    monkeypatch.setattr(costs, "_read", lambda session, model, tokens: read.append(tokens))
    assert (measure(MODEL, 0.0).growth is not None) == known
    assert sum(read) == (costs.FAR if known else CONTEXT)
    assert measure(MODEL, 0.0, far=False).growth is None

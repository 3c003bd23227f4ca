"""Whether drafting paid, by hand: a pass's tokens against verifying, drafting and the rest."""

from __future__ import annotations

import pytest

from app.showcases import SHOWCASES, showcase_run
from respec_core.trace.benefit import Benefit, SizeAt, benefit
from respec_core.trace.round import Commit, Decision, Node, Step, Trees
from respec_core.trace.schema import ReferenceAR, Repeat

CURVE = ((1, 10.0), (3, 12.0), (5, 20.0), (9, 40.0))  # of five tokens as in these rounds


def node(id: int, parent: int, depth: int, score: float | None) -> Node:
    return Node(id=id, parent=parent, depth=depth, token=id, text="", path_score=score)


def step(i: int, scores: list[float | None], path: tuple[int, ...]) -> Step:
    """A tree of two branches: 1–3–4 and 2, the first of which is ``path``."""
    parents = [(-1, 0), (0, 1), (0, 1), (1, 2), (3, 3)]
    nodes = [node(n, *parents[n], score) for n, score in enumerate([None, *scores])]
    commit = Commit(
        path_node_ids=path, n_accepted=len(path), n_strict=len(path), n_relaxed=0, extra=None, emitted_ids=()
    )
    return Step(
        i=i,
        ctx_len=5,
        phase_ms={"draft": 4.0, "route": 1.0, "verify": 20.0, "commit": 2.5},
        decision=Decision(chosen="model", rule="always", reason=""),
        trees=Trees(final=tuple(nodes)),
        commit=commit,
    )


@pytest.fixture
def run():
    """Two rounds that committed four and one token."""
    finished_run = showcase_run(SHOWCASES[0].name)
    steps = (step(0, [0.9, 0.5, 0.6, 0.1], (1, 3, 4)), step(1, [0.9, 0.5, 0.6, 0.1], ()))
    return finished_run.model_copy(
        update={"steps": steps, "tokens": finished_run.tokens[:5], "cost_curve": CURVE, "reference_ar": None}
    )


def test_costs_are_in_one_token_forwards(run):
    found = benefit(run)
    assert found is not None
    assert (found.tokens, found.nodes) == (2.5, 4)
    assert (found.verify, found.drafting, found.rest) == pytest.approx((2.0, 0.5, 0.25))
    assert found.ratio == pytest.approx(2.5 / 2.75)


def test_smaller_sizes_keep_the_likeliest_nodes(run):
    found = benefit(run)
    assert found is not None
    assert [size.tokens for size in found.sizes] == [1.5, 2.0, 2.0, 2.5]  # 1, then 3, 2, and 4
    assert found.sizes[1].verify == pytest.approx(1.2)
    assert found.best == found.sizes[1]
    assert found.best.ratio == pytest.approx(2.0 / 1.95)
    assert found.break_even == 2
    assert "0.91× plain; verifying costs most" in found.sentence()
    assert "× plain" not in found.sentence(timed=True)
    assert "The 2 likeliest nodes of each draft would have brought 2.00 tokens for 1.95: 1.03×" in found.sentence()


def test_a_child_is_no_likelier_than_its_parent(run):
    odd = [step(s.i, [0.2, 0.5, 0.6, 0.1], s.commit.path_node_ids) for s in run.steps]
    found = benefit(run.model_copy(update={"steps": tuple(odd)}))
    assert found is not None
    assert [size.tokens for size in found.sizes] == [1.0, 1.5, 2.0, 2.5]


def test_plain_decoding_of_the_same_prompt_is_the_better_unit(run):
    timed = ReferenceAR(output_ids=(1, 2, 3, 4), wall_s=0.08)
    found = benefit(run.model_copy(update={"reference_ar": timed}))
    assert found is not None
    assert found.verify == pytest.approx(1.0)
    assert found.ratio > 1 and "costs most" not in found.sentence()


def test_without_plain_decoding_the_unit_is_what_a_token_costs_in_this_run(run):
    """A machine that is half as fast as when its curve was measured does not make drafting look bad."""
    fast = [s for i in range(30) for s in (step(i, [0.9, 0.5, 0.6, 0.1], (1, 3, 4)), _plain_step(i))]
    slow = [s.model_copy(update={"phase_ms": {phase: 2 * ms for phase, ms in s.phase_ms.items()}}) for s in fast]
    before, after = (benefit(run.model_copy(update={"steps": tuple(steps)})) for steps in (fast, slow))
    assert before is not None and after is not None
    assert before.verify == after.verify == pytest.approx(1.5)
    assert after.ratio == pytest.approx(before.ratio, rel=1e-9)
    assert after.sizes[-1].ratio == pytest.approx(before.sizes[-1].ratio, rel=1e-9)


def _plain_step(i: int) -> Step:
    drafted = step(i, [None] * 4, ())
    times = {"draft": 4.0, "route": 1.0, "verify": 10.0, "commit": 2.5}
    return drafted.model_copy(update={"trees": Trees(final=drafted.trees.final[:1]), "phase_ms": times})


def test_a_run_without_rounds_comes_to_nothing(run):
    assert benefit(run.model_copy(update={"steps": (), "tokens": ()})) is None


def test_what_is_not_known_is_not_told(run):
    assert benefit(run.model_copy(update={"cost_curve": ()})) is None
    unscored = benefit(run.model_copy(update={"steps": (step(0, [None] * 4, ()),)}))
    assert unscored is not None and unscored.sizes == () and unscored.best is None
    drafted_nothing = [s.model_copy(update={"trees": Trees(final=s.trees.final[:1])}) for s in run.steps]
    assert benefit(run.model_copy(update={"steps": tuple(drafted_nothing)})) is None


def test_times_beyond_all_measure_are_not_told(run):
    for wall_s in (1e305, 1e-320, 5e-324):
        odd = ReferenceAR(output_ids=(1,), wall_s=wall_s)
        assert benefit(run.model_copy(update={"reference_ar": odd, "cost_curve": ()})) is None


def test_no_size_pays():
    lost = Benefit(1.1, 8, 2.0, 0.5, 0.1, (SizeAt(1, 1.05, 1.2, 1.05 / 1.8),))
    assert lost.sentence().endswith("No smaller size of these drafts would have paid.")
    assert lost.break_even is None


def test_a_round_costs_what_it_did_with_nothing_drawn(run):
    repeats = tuple(Repeat(run_s=seconds, plain_s=0.04) for seconds in (0.02, 0.0275, 0.05))
    found = benefit(
        run.model_copy(update={"reference_ar": ReferenceAR(output_ids=(1, 2, 3, 4), wall_s=0.08, repeats=repeats)})
    )
    assert found is not None
    assert (found.verify, found.drafting, found.rest) == pytest.approx(
        (1.0, 0.25, 0.125)
    )  # of 55 ms shown, 27.5 silent
    assert found.ratio == pytest.approx(2.5 / 1.375)

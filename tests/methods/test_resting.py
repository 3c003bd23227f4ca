"""When a block is worth its time: what it brought, what it takes, how a rest ends, and that load is no reason."""

from __future__ import annotations

from itertools import count

import pytest
from tiny import COSTS, ScriptedDiffusion, StubModel, count_up, counting_diffusion, one_hot

from respec_core.engine.decoding import Request
from respec_core.engine.sizing import Worth
from respec_core.methods.diffuspec.resting import NEWEST, Brought, Look, Resting
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import violations
from respec_core.trace.cost_curve import CostCurve

CURVE = CostCurve(((1, 20.0), (9, 36.0)))  # two milliseconds a node, a tenth of a plain forward
WORTH = Worth(rate=1 / 20, node_ms=2.0, trust=1.0, costs=CURVE)
SURE, UNSURE = Look.of(1.0, 2.0), Look.of(0.1, 2.0)


def learned(resting: Resting, look: Look, brought: Brought | None, times: int = 1, load: float = 1.0) -> Resting:
    """After rounds of five tokens that drafted for 8 ms in all and verified for 28."""
    for _ in range(times):
        ms = {"draft": 6.0 * load, "search": 2.0 * load, "verify": 28.0 * load, "commit": 1.0}
        seen = Look(look.claim, look.ms * load)
        resting.learn(seen, brought, 5, ms, CURVE)
    return resting


def test_a_run_begins_by_drafting_whatever_its_first_round_took():
    resting = Resting()
    assert not resting.round(WORTH)
    assert not resting.block(UNSURE, 9, WORTH)
    resting.learn(Look.of(0.5, 900.0), Brought(0, 4), 5, {"draft": 990.0, "verify": 28.0}, CURVE)  # it read the prompt
    assert not resting.round(WORTH)
    assert not resting.block(SURE, 9, WORTH)


def test_a_sure_guess_is_filled_where_an_unsure_one_is_not():
    resting = learned(Resting(), SURE, Brought(1, 4), 10)
    assert not resting.block(SURE, 9, WORTH)
    why = "rests: such blocks bring 0.1 tokens and take 0.7 plain forwards, in which the run writes 0.7"
    assert resting.block(UNSURE, 9, WORTH) == why
    assert not resting.round(WORTH)


def test_no_block_brings_more_than_there_is_room_for():
    dear = learned(Resting(), SURE, Brought(2, 8), 10)
    tokens_a_forward = Worth(1.5 / 20, 2.0, 1.0, CURVE)
    assert not dear.block(SURE, 9, tokens_a_forward)
    assert dear.block(SURE, 1, tokens_a_forward)


def test_a_run_whose_blocks_bring_nothing_rests_and_tries_again():
    resting = learned(Resting(), SURE, Brought(0, 4), 40)
    rests = next(n for n in count() if not resting.round(WORTH))
    assert 5 < rests < 500
    learned(resting, SURE, Brought(0, 4), 40)
    assert resting.round(WORTH)


def test_looks_that_never_lead_to_a_block_are_given_up():
    """Unsure guesses cost a look each; a run of them alone is not worth looking at."""
    resting = learned(Resting(), UNSURE, None, 5)
    assert not resting.round(WORTH)
    learned(resting, UNSURE, None, 200)
    assert resting.round(WORTH)


@pytest.mark.parametrize("load", [0.3, 3.0, 10.0])
@pytest.mark.parametrize(("brought", "rests"), [(Brought(0, 4), True), (Brought(1, 4), False)])
def test_a_load_that_slows_everything_changes_nothing(load, brought, rests):
    quiet, busy = (learned(Resting(), SURE, brought, 60, by) for by in (1.0, load))
    assert bool(quiet.round(WORTH)) is rests
    assert busy.round(WORTH) == quiet.round(WORTH)
    assert busy.block(UNSURE, 9, WORTH) == quiet.block(UNSURE, 9, WORTH)


def test_a_stall_of_the_machine_silences_nobody():
    resting = learned(Resting(), SURE, Brought(1, 4), NEWEST)
    for _ in range(NEWEST // 2):
        resting.learn(Look(2.0, 500.0), Brought(1, 4), 5, {"draft": 900.0, "verify": 28.0}, CURVE)
    assert not resting.round(WORTH)
    assert not resting.block(SURE, 9, WORTH)


def test_without_prices_nobody_rests():
    resting = learned(Resting(), SURE, Brought(0, 4), 60)
    blind = Worth(1 / 20, 2.0, 1.0)
    assert not resting.round(blind)
    assert not resting.block(UNSURE, 9, blind)


def ticking(seconds: float = COSTS.ms(1) / 1e3):
    """A clock on which everything that is timed takes as long."""
    ticks = count()
    return lambda: next(ticks) * seconds


def problems(done) -> list[str]:
    """But that the clock of the rounds is not the run's."""
    return [problem for problem in violations(done) if not problem.startswith("times:")]


def run(diffusion: ScriptedDiffusion, **values):
    config = find_method("diffuspec").configure({"budget": "auto", "max_new_tokens": 120} | values)
    return complete(Request(config, (3, 1, 4, 1)), Models(StubModel(count_up), diffusion), now=ticking())


def test_a_drafter_that_is_never_right_rests_in_a_run_and_the_text_is_the_same():
    wrong = run(ScriptedDiffusion(lambda ids, i, known: one_hot((ids[-1] + 3 + i) % 8)))
    assert wrong.output_ids == tuple((2 + i) % 8 for i in range(120))
    assert problems(wrong) == []
    reasons = [step.decision.reason for step in wrong.steps]
    rested = [reason.startswith("rests: such blocks bring") for reason in reasons]
    assert not rested[0]
    assert sum(rested) > 60
    assert not all(rested[rested.index(True) :])  # it tries again
    assert all(step.decision.chosen == "none" for step, rest in zip(wrong.steps, rested, strict=True) if rest)


def test_a_drafter_that_is_right_never_rests():
    right = run(counting_diffusion())
    assert problems(right) == []
    assert not [step for step in right.steps if "rests" in step.decision.reason]
    assert len(right.steps) < 60


def test_sizes_of_the_methods_own_are_drafted_whatever_they_take():
    wrong = run(ScriptedDiffusion(lambda ids, i, known: one_hot((ids[-1] + 3 + i) % 8)), budget="own")
    assert {step.decision.chosen for step in wrong.steps[:-1]} == {"diffusion"}

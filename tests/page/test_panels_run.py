"""Calibration and the adaptive draft length: right bins, right words, nothing where there is nothing to show."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app import messages
from app.panels.adl import adl_view
from app.panels.calibration import Bin, calibration_view, confidence_bins, verdict
from app.panels.lattice import lattice_view
from app.panels.positions import positions_view
from app.showcases import showcase_run
from respec_core.engine.decoding import Request
from respec_core.methods.diffuspec.record import ADL, Lattice
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.trace.round import Node, Step
from respec_core.trace.schema import Run

PROMPT = (5, 6, 7, 8, 9, 10, 5, 6, 7)


def base() -> Run:
    run = showcase_run("story-sam")
    assert run is not None
    return run


def with_nodes(*judged: tuple[float | None, Any]) -> Run:
    """A run of one round whose nodes have these confidences and outcomes."""
    run = base()
    nodes = [Node(id=0, parent=-1, depth=0, token=1, text="r")]
    nodes += [
        Node(id=i, parent=0, depth=1, token=i, text="t", draft_p=p, outcome=outcome)
        for i, (p, outcome) in enumerate(judged, 1)
    ]
    step = run.steps[0]
    return run.model_copy(
        update={"steps": (step.model_copy(update={"trees": step.trees.model_copy(update={"final": tuple(nodes)})}),)}
    )


def lengths(*rounds: ADL) -> Run:
    run = base()
    steps: list[Step] = [
        s.model_copy(update={"records": {"adl": adl}}) for s, adl in zip(run.steps, rounds, strict=False)
    ]
    return run.model_copy(update={"steps": tuple(steps)})


def adl(k: int, gen: int, acc: int, **more: Any) -> ADL:
    values: dict[str, Any] = {"ema_gen": gen / 2, "ema_acc": acc / 2, "grew": False, "k_next": k}
    return ADL(k_t=k, L_gen=gen, L_acc=acc, k_min=20, k_max=30, **(values | more))


# --- calibration --------------------------------------------------------------------------------------------------


def test_only_judged_nodes_with_a_confidence_count() -> None:
    run = with_nodes((0.95, "strict_accept"), (0.92, "rejected"), (1.0, "relaxed_accept"), (0.91, "unreached"))
    (only,) = confidence_bins(run)
    assert (only.nodes, only.accepted) == (3, 2)
    assert only.confidence == pytest.approx((0.95 + 0.92 + 1.0) / 3)
    assert calibration_view(with_nodes((None, "rejected"), (0.4, "unreached"))) is None


def test_bins_do_not_overlap_and_the_interval_holds_the_rate() -> None:
    bins = confidence_bins(with_nodes((0.0, "rejected"), (0.1, "rejected"), (0.35, "strict_accept")))
    assert [(b.low, b.nodes) for b in bins] == [(0.0, 1), (0.1, 1), (0.3, 1)]
    low, high = Bin(0, 0.1, 50, 10, 0.05).interval()
    assert low < 0.2 < high and (low, high) == pytest.approx((0.1124, 0.3304), abs=1e-3)  # Wilson's, by hand


def test_the_verdict_names_the_direction() -> None:
    assert "too sure of itself" in verdict([Bin(0.9, 1.0, 60, 30, 0.95)])
    assert "surer than it says" in verdict([Bin(0.1, 0.2, 60, 30, 0.15)])
    assert "close to what was accepted" in verdict([Bin(0.4, 0.5, 200, 90, 0.45)])


def test_no_verdict_without_enough_evidence() -> None:
    few = verdict([Bin(0.1, 0.2, 12, 0, 0.15), Bin(0.5, 0.6, 12, 6, 0.55)])
    assert few.startswith("24 judged nodes: 35% confident on average, 6 accepted (25%): too few for a verdict")
    assert "is too wide for a verdict" in verdict([Bin(0.4, 0.5, 60, 27, 0.45)])
    uneven = [Bin(0.1, 0.2, 200, 90, 0.15), Bin(0.7, 0.8, 200, 90, 0.75)]
    assert "right on average, not at each confidence" in verdict(uneven)


def test_thin_bins_are_hatched() -> None:
    view = calibration_view(with_nodes(*[(0.55, "rejected")] * 9, (0.95, "strict_accept")))
    assert view is not None
    marker = view["reliability"]["data"][0]["marker"]
    assert marker["pattern"]["shape"] == ["", "/"]
    assert view["reliability"]["data"][2]["text"] == ["9", "1"]


def test_an_eagle_run_is_calibrated_and_its_positions_are_the_summarys(tiny_models: Models) -> None:
    run = complete(
        Request(find_method("eagle2").configure({"budget": "own", "max_new_tokens": 20}), PROMPT), tiny_models
    )
    view = calibration_view(run)
    positions = positions_view(run)
    assert view is not None and positions is not None and run.summary is not None
    assert run.summary.acceptance_by_position is not None
    assert positions["depths"] == [position.model_dump() for position in run.summary.acceptance_by_position]
    bars, diamonds = positions["figure"]["data"]
    assert bars["y"] == [row["conditional"] for row in positions["depths"]]
    assert diamonds["y"] == [row["unconditional"] for row in positions["depths"]]
    assert json.dumps([view, positions], allow_nan=False)


def test_plain_decoding_has_neither_panel(tiny_models: Models) -> None:
    run = complete(
        Request(find_method("vanilla").configure({"budget": "own", "max_new_tokens": 4}), PROMPT), tiny_models
    )
    assert not any(messages.whole(run)["panels"].values())


# --- draft length -------------------------------------------------------------------------------------------------


def test_lengths_averages_and_growth_stand_over_their_rounds() -> None:
    run = lengths(adl(30, 30, 7), adl(20, 20, 20, grew=True, k_next=28), adl(28, 12, 3, s_t=12))
    view = adl_view(run)
    assert view is not None
    asked, generated, ema_gen, accepted, ema_acc, grew = view["figure"]["data"]
    assert asked["y"] == [30, 20, 28] and asked["x"] == [1, 2, 3]
    assert generated["y"] == [30, 20, 12] and accepted["y"] == [7, 20, 3]
    assert ema_gen["y"] == [15, 10, 6] and ema_acc["y"] == [3.5, 10, 1.5]
    assert grew["x"] == [2]
    assert [shape["y0"] for shape in view["figure"]["layout"]["shapes"]] == [20, 30]
    assert view["sentence"].startswith("Draft length between 20 and 30; it grew in 1 round; next 28. Of the time, ")


def test_a_length_that_cannot_move_is_said_to_stay() -> None:
    view = adl_view(lengths(adl(6, 6, 1).model_copy(update={"k_min": 6, "k_max": 6})))
    assert view is not None and view["sentence"].startswith("The length stays at 6")


def test_a_diffusion_run_streams_the_length_while_it_goes_on(tiny_models: Models) -> None:
    run = complete(
        Request(find_method("diffuspec").configure({"budget": "own", "max_new_tokens": 16}), PROMPT), tiny_models
    )
    assert messages.running(run)["panels"]["adl"] == adl_view(run)
    assert adl_view(run) is not None and json.dumps(messages.whole(run), allow_nan=False)


def test_the_time_is_split_into_draft_search_and_target(tiny_models: Models) -> None:
    run = complete(
        Request(find_method("diffuspec").configure({"budget": "own", "max_new_tokens": 6}), PROMPT), tiny_models
    )
    ms = {"draft": 10.0, "search": 5.0, "verify": 80.0, "commit": 5.0}
    steps = tuple(step.model_copy(update={"phase_ms": ms}) for step in run.steps)
    view = adl_view(run.model_copy(update={"steps": steps}))
    assert view is not None
    assert view["sentence"].endswith("Of the time, 10% went to drafting, 5% to the search, 80% to the target.")
    first = next(step for step in steps if step.record(Lattice) is not None)
    found = lattice_view(first, run.tokens[:1])
    assert found is not None and found["sentence"].endswith("Drafted in 10 ms, searched in 5.0 ms, verified in 80 ms.")


def test_runs_without_a_controller_have_no_length_panel() -> None:
    assert adl_view(base()) is None

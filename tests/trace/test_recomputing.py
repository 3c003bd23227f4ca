"""What a trace's rounds determine is computed again from them, whatever the file said."""

from __future__ import annotations

from typing import Any

import pytest
from tiny import StubModel, count_up

from respec_core.bench.reference import with_reference
from respec_core.engine.decoding import Request
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import examined, violations
from respec_core.trace.schema import Run

PROMPT = (1, 2, 3, 4, 1, 2, 3)


@pytest.fixture(scope="module")
def run() -> Run:
    models = Models(StubModel(count_up))
    config, plain = (find_method(name).configure({"max_new_tokens": 12}) for name in ("pld", "vanilla"))
    return with_reference(*(complete(Request(one, PROMPT), models) for one in (config, plain)))


def edited(run: Run, **figures: Any) -> Run:
    assert run.summary is not None
    return run.model_copy(update={"summary": run.summary.model_copy(update=figures)})


def test_a_sound_run_stays_as_it_is(run: Run) -> None:
    assert examined(run) == (run, [])


@pytest.mark.parametrize(
    "figures",
    [
        {"mat": 40.0},
        {"speedup_measured": 42.0},
        {"relaxed_accepts": 7},
        {"wall_s": 1e-9},
        {"first_divergence_vs_ar": 3},
    ],
    ids=lambda figures: next(iter(figures)),
)
def test_an_edited_figure_gives_way_to_the_rounds(run: Run, figures: dict[str, Any]) -> None:
    shown, broken = examined(edited(run, **figures))
    assert broken
    assert violations(shown) == []
    assert shown.summary is not None and run.summary is not None
    assert (shown.summary.mat, shown.summary.relaxed_accepts) == (run.summary.mat, run.summary.relaxed_accepts)


def test_a_trace_without_a_summary_gets_one(run: Run) -> None:
    shown, broken = examined(run.model_copy(update={"summary": None}))
    assert len(broken) == 1 and "no summary" in broken[0]
    assert violations(shown) == []


def test_output_that_is_not_the_rounds_is_replaced(run: Run) -> None:
    shown, broken = examined(run.model_copy(update={"output_ids": run.output_ids[:3], "output_text": "else"}))
    assert broken and violations(shown) == []
    assert (shown.output_ids, shown.output_text) == (run.output_ids, run.output_text)

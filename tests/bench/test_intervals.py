"""Intervals over prompts: seeded, wider where prompts differ more, and paired where two rows share the prompts."""

from __future__ import annotations

import numpy as np
import pytest

from respec_core.bench.against import against
from respec_core.bench.intervals import bootstrap
from respec_core.bench.results import Measurement, aggregate


def measured(row: str, question: int, tokens: int, passes: int, kind: str = "qa", **more) -> Measurement:
    return Measurement(
        question=str(question), kind=kind, method=row, tokens=tokens, target_passes=passes, seconds=None,
        plain_seconds=None, equal=True, relaxed_accepts=0, triggered=0, retrieved=0, hits=0, **more,
    )  # fmt: skip


def mean_of(values):
    values = np.asarray(values, dtype=float)
    return lambda drawn: values[drawn].mean(-1)


def test_an_interval_is_what_other_prompts_might_give():
    values = np.random.default_rng(1).normal(5.0, 2.0, 400)
    low, high = bootstrap(400, mean_of(values))
    half = 1.96 * values.std() / 20
    assert low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert high == pytest.approx(values.mean() + half, abs=0.1 * half)
    assert bootstrap(400, mean_of(values)) == (low, high)
    assert bootstrap(3, mean_of([2.0, 2.0, 2.0])) == (2.0, 2.0)
    assert bootstrap(1, mean_of([2.0])) is None


def test_a_row_holds_its_interval():
    rows = [measured("sam", i, 10, passes, drafted=30) for i, passes in enumerate([2, 5, 10])]
    whole = aggregate(rows)
    low, high = whole["mat_interval"]
    assert 1.0 <= low < whole["mat"] == 30 / 17 < high <= 5.0
    assert whole["nodes_per_pass"] == 90 / 17
    assert aggregate(rows[:1])["mat_interval"] is None


def test_rows_on_the_same_prompts_are_compared_prompt_by_prompt():
    """Twice the tokens a pass on every prompt, however much prompts differ: the ratio is 2, and sure."""
    passes = [3, 30, 9, 60]
    kinds = ["qa", "qa", "rag", "rag"]
    rows = [measured("base", i, 60, 2 * p, k) for i, (p, k) in enumerate(zip(passes, kinds, strict=True))]
    rows += [measured("twice", i, 60, p, k) for i, (p, k) in enumerate(zip(passes, kinds, strict=True))]
    rows += [measured("else", 9, 60, 1), measured("else", 0, 60, 6)]  # one prompt that base has not
    found = against(rows, "base")
    assert found["row"] == "base"
    assert found["overall"]["twice"] == {"ratio": 2.0, "interval": (2.0, 2.0), "questions": 4}
    assert found["kinds"]["rag"]["twice"]["questions"] == 2
    assert found["overall"]["else"] == {"ratio": 1.0, "interval": None, "questions": 1}
    assert found["kinds"]["rag"]["else"]["ratio"] is None


def test_speed_ups_with_and_without_the_prompt():
    """8 tokens in 2 s after 2 s, plainly in 4 s after 2 s; and 8 in 1 s after 3 s, plainly in 1 s after 3 s."""
    times = [(2.0, 2.0, 4.0, 2.0), (1.0, 3.0, 1.0, 3.0)]
    rows = [
        measured("sam", i, 8, 2).model_copy(
            update={"seconds": a, "prompt_seconds": b, "plain_seconds": c, "plain_prompt_seconds": d}
        )
        for i, (a, b, c, d) in enumerate(times)
    ]
    whole = aggregate(rows)
    assert whole["speedup"] == whole["speedup_without_prompt"] == pytest.approx((4 + 8) / (2 + 8))
    assert whole["speedup_with_prompt"] == pytest.approx((2 + 2) / (8 / 6 + 2))
    low, high = whole["speedup_with_prompt_interval"]
    assert (low, high) == (pytest.approx(1.0), pytest.approx(1.5))
    assert aggregate([measured("sam", 0, 8, 2)])["speedup_with_prompt"] is None

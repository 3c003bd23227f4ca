"""What came of a run, in a line: tokens a pass, × plain with its spread, and whether the text equals plain decoding's."""

from __future__ import annotations

from typing import TypedDict

from respec_core.trace.schema import Run
from respec_core.trace.speed import Speed, speed_of


class Timed(TypedDict):
    """× plain: the median of ``repeats`` ratios, the smallest and the largest; ``silent`` where nothing was drawn."""

    ratio: float
    low: float
    high: float
    repeats: int
    silent: bool


class Outcome(TypedDict):
    """None is what was not measured: no pass, no timing, no plain decoding to hold the text against."""

    per_pass: float | None
    speed: Timed | None
    equal: bool | None


def outcome_of(run: Run) -> Outcome:
    """The outcome of any run, one that was stopped included."""
    speed, plain = speed_of(run), run.reference_ar
    return {
        "per_pass": len(run.tokens) / len(run.steps) if run.steps else None,
        "speed": timed(speed) if speed else None,
        "equal": run.output_ids == plain.output_ids if plain else None,
    }


def timed(speed: Speed) -> Timed:
    """For the browser."""
    return {
        "ratio": speed.ratio,
        "low": speed.low,
        "high": speed.high,
        "repeats": speed.repeats,
        "silent": speed.silent,
    }

"""Cutting a drafter's trees by its own confidence: nodes whose whole path it holds to be likely enough are kept."""

from __future__ import annotations

from functools import partial

from app.learn.goal import Reading
from app.learn.knobs.cut import NAMES, cut_reading
from app.learn.knobs.knob import Knob, KnobFields
from app.learn.widget import Runs
from respec_core.errors import ReSpecError
from respec_core.trace.round import Step

VALUES = (0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def floor_readings(fields: KnobFields, runs: Runs) -> list[Reading]:
    """Floors from 0, which keeps all."""
    run = runs(fields.trace)
    if not run.settings.lossless or any(node.path_score is None for s in run.steps for node in s.trees.final[1:]):
        raise ReSpecError("This knob needs a strict greedy run whose drafter says how sure it is: name another trace.")
    return [cut_reading(run, floor, f"floor {floor:g}", partial(_above, floor)) for floor in VALUES]


def _above(floor: float, step: Step) -> set[int]:
    return {node.id for node in step.trees.final[1:] if (node.path_score or 0.0) >= floor}


KNOB = Knob("floor", "Least confidence of a path", NAMES, 0, floor_readings)

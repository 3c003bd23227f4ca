"""Cutting trees to so many children a node, the likeliest first: 1 leaves a chain (arXiv 2305.09781, token trees)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial

from app.learn.goal import Reading
from app.learn.knobs.cut import NAMES, cut_reading
from app.learn.knobs.knob import Knob, KnobFields
from app.learn.widget import Runs
from respec_core.errors import ReSpecError
from respec_core.trace.round import Step

MOST = 12


def width_readings(fields: KnobFields, runs: Runs) -> list[Reading]:
    """Widths from a chain to the widest node of the run."""
    run = runs(fields.trace)
    ranks = {step.i: _ranks(step) for step in run.steps}
    widest = max((rank for of_step in ranks.values() for rank in of_step.values()), default=0)
    if not run.settings.lossless or widest < 2:
        raise ReSpecError("This knob needs a strict greedy run with branches in its drafts: name another trace.")

    widths = range(1, min(widest, MOST) + 1)
    return [cut_reading(run, width, _label(width), partial(_narrow, ranks, width)) for width in widths]


def _narrow(ranks: Mapping[int, Mapping[int, int]], width: int, step: Step) -> set[int]:
    return {node for node, rank in ranks[step.i].items() if rank <= width}


def _ranks(step: Step) -> dict[int, int]:
    """The place of every node among its siblings, from 1, the drafter's favourite first."""
    taken, ranks = Counter[int](), dict[int, int]()
    for node in sorted(step.trees.final[1:], key=lambda node: (-(node.path_score or 0.0), node.id)):
        taken[node.parent] += 1
        ranks[node.id] = taken[node.parent]
    return ranks


def _label(width: int) -> str:
    return "1: a chain" if width == 1 else f"up to {width} branches"


KNOB = Knob("width", "Branches behind a node", NAMES, 1, width_readings)

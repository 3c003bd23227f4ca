"""Cutting a drafter's trees by its own confidence: nodes whose whole path it holds to be likely enough are kept.

Under the strict rule the accepted path of a cut tree is the recorded one as far as it was kept; each round counts for itself.
"""

from __future__ import annotations

from app.learn.goal import Reading
from app.learn.knobs.knob import Knob, KnobFields
from app.learn.widget import Runs
from respec_core.errors import ReSpecError
from respec_core.trace.round import Step
from respec_core.trace.schema import Run

VALUES = (0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
NAMES = {
    "nodes_share": "the share of nodes that are kept",
    "tokens_share": "the share of accepted tokens that are kept",
    "tokens_per_pass": "tokens per target pass",
}


def floor_readings(fields: KnobFields, runs: Runs) -> list[Reading]:
    """Floors from 0, which keeps all."""
    run = runs(fields.trace)
    if not run.settings.lossless or any(node.path_score is None for s in run.steps for node in s.trees.final[1:]):
        raise ReSpecError("This knob needs a strict greedy run whose drafter says how sure it is: name another trace.")
    return [_reading(run, floor) for floor in VALUES]


def _reading(run: Run, floor: float) -> Reading:
    rounds = len(run.steps)
    nodes, accepted = (sum(column) for column in zip(*(_kept(step, floor) for step in run.steps), strict=True))
    all_nodes, all_accepted = (sum(column) for column in zip(*(_kept(step, 0) for step in run.steps), strict=True))
    metrics = {
        "nodes_share": nodes / max(all_nodes, 1),
        "tokens_share": accepted / max(all_accepted, 1),
        "tokens_per_pass": 1 + accepted / rounds,
    }
    said = (
        f"{nodes} of {all_nodes} nodes are sent to the target, {accepted} of {all_accepted} accepted tokens are among them: "
        f"{metrics['tokens_per_pass']:.2f} tokens per target pass."
    )
    return {"value": floor, "label": f"floor {floor:g}", "sentence": said, "metrics": metrics}


def _kept(step: Step, floor: float) -> tuple[int, int]:
    """Kept nodes of a round, and those of its accepted path that are kept from the root on."""
    kept = {0}
    for node in step.trees.final[1:]:
        if node.parent in kept and (node.path_score or 0.0) >= floor:
            kept.add(node.id)
    accepted = sum(node in kept for node in step.commit.path_node_ids)
    return len(kept) - 1, accepted


KNOB = Knob("floor", "Least confidence of a path", NAMES, 0, floor_readings)

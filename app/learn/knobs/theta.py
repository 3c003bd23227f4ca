"""ReSpec's threshold θ as a gate (arXiv 2511.01282, Algorithm 1): which rounds look for a copy. Replayed, copies alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.learn.goal import Reading
from app.learn.knobs.knob import Knob, KnobFields
from app.learn.widget import Runs
from app.panels.labels import count

if TYPE_CHECKING:
    from respec_core.lab.replay import Replay

MOST, STEP = 40, 0.1
NAMES = {
    "retrieval_share": "the share of rounds that retrieve",
    "retrieving": "the number of rounds that retrieve",
    "tokens_per_pass": "tokens per target pass",
}


def theta_readings(fields: KnobFields, runs: Runs) -> list[Reading]:
    """Every tenth of a nat."""
    from app.learn.simulator import gated, stage_of  # torch comes with it

    run = runs(fields.trace)
    stage = stage_of(run)
    values = [round(i * STEP, 1) for i in range(MOST + 1)]
    return [_reading(theta, gated(run, stage, theta)) for theta in values]


def _reading(theta: float, found: Replay) -> Reading:
    rounds = len(found.rounds)
    retrieving = sum(round.decision.triggered for round in found.rounds)
    metrics = {
        "retrieval_share": retrieving / rounds,
        "retrieving": retrieving,
        "tokens_per_pass": found.tokens / rounds,
    }
    said = (
        f"{retrieving} of {count(rounds, 'round')} look for a copy ({retrieving / rounds:.0%}); "
        f"{metrics['tokens_per_pass']:.2f} tokens per target pass with copies alone."
    )
    return {"value": theta, "label": f"θ = {theta:.1f} nats", "sentence": said, "metrics": metrics}


KNOB = Knob("theta", "Entropy threshold θ, nats", NAMES, 1.5, theta_readings)

"""How many tokens one forward reads, and what it cost in the recorded runs."""

from __future__ import annotations

from app.learn.goal import Reading
from app.learn.knobs.knob import Knob, KnobFields
from app.learn.recorded import recorded_costs
from app.learn.widget import Runs

MOST = 60
NAMES = {"cost": "the forward, in one-token forwards,", "per_token": "the price of a token, in one-token forwards,"}


def forward_readings(fields: KnobFields, runs: Runs) -> list[Reading]:
    """Sizes from 1 on; prices between recorded sizes are interpolated."""
    costs = recorded_costs()
    plain = costs.ms(1)
    return [_reading(size, costs.ms(size), plain) for size in range(1, MOST + 1)]


def _reading(size: int, ms: float, plain: float) -> Reading:
    cost = ms / plain
    said = f"A forward that reads {size} took {ms:.0f} ms: {cost:.2f} one-token forwards, {cost / size:.2f} for each token."
    label = f"{size} token{'s' * (size != 1)}"
    return {"value": size, "label": label, "sentence": said, "metrics": {"cost": cost, "per_token": cost / size}}


KNOB = Knob("forward", "Tokens that one forward reads", NAMES, 1, forward_readings)

"""The price of ReSpec's relaxed rule (arXiv 2511.01282): tokens a pass against tokens that are not the target's own."""

from __future__ import annotations

from app.learn.goal import Reading
from app.learn.knobs.knob import Knob, KnobFields
from app.learn.widget import Runs
from respec_core.errors import ReSpecError
from respec_core.settings.verifying import VerifySettings
from respec_core.trace.rule_estimate import RecordedRounds

VALUES = tuple(round(0.05 * i, 2) for i in range(21))
NAMES = {
    "divergences": "tokens in a hundred that are not the target's own",
    "tokens_per_pass": "tokens per target pass",
}


def relax_readings(fields: KnobFields, runs: Runs) -> list[Reading]:
    """ε from 0 to 1; each round counts for itself, so this is an estimate."""
    recorded = RecordedRounds.of(runs(fields.trace))
    if not recorded.chains:
        raise ReSpecError(
            "This knob needs a run that recorded what the target says behind a mismatch: name another trace."
        )
    return [_reading(recorded, epsilon) for epsilon in VALUES]


def _reading(recorded: RecordedRounds, epsilon: float) -> Reading:
    found = recorded.by(VerifySettings(rule="relaxed", relax_eps=epsilon))
    said = (
        f"{found.tokens_per_pass:.2f} tokens per target pass, {found.mismatches} of {found.tokens} tokens not the target's own: "
        f"{found.per_hundred:.1f} in a hundred."
    )
    metrics = {"divergences": found.per_hundred, "tokens_per_pass": found.tokens_per_pass}
    return {"value": epsilon, "label": f"ε = {epsilon:.2f}", "sentence": said, "metrics": metrics}


KNOB = Knob("relax", "ε: least share of the favourite's probability", NAMES, 0.1, relax_readings)

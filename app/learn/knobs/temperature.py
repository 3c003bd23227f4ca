"""The drafter's temperature: how often what it draws is accepted (arXiv 2211.17192 §3.1: Σ min(p, q))."""

from __future__ import annotations

from app.learn.distributions import Distribution, distribution, kept_share, tempered
from app.learn.goal import Reading
from app.learn.knobs.knob import Knob, KnobFields
from app.learn.widget import Runs

VALUES = tuple(round(0.1 * i, 1) for i in range(1, 31))
NAMES = {"kept": "the share of drafts that is accepted"}


def temperature_readings(fields: KnobFields, runs: Runs) -> list[Reading]:
    """Temperatures of the drafter from 0.1 to 3; the target's distribution stays as it is."""
    p, q = distribution(fields.p), distribution(fields.q)
    return [_reading(p, tempered(q, t), t) for t in VALUES]


def _reading(p: Distribution, q: Distribution, t: float) -> Reading:
    kept = kept_share(p, q)
    drawn = ", ".join(f"{x:.2f}" for x in q)
    said = (
        f"The drafter draws with {drawn}; {kept:.0%} of its guesses are accepted, and what is written still follows p."
    )
    return {"value": t, "label": f"temperature {t:.1f}", "sentence": said, "metrics": {"kept": kept}}


KNOB = Knob("temperature", "The drafter's temperature", NAMES, 1.0, temperature_readings)

"""How large the drafts of a recorded run had better been: their likeliest nodes, at the prices that forwards had."""

from __future__ import annotations

from app.learn.goal import Reading
from app.learn.knobs.knob import Knob, KnobFields
from app.learn.recorded import recorded_costs
from app.learn.widget import Runs
from app.panels.labels import count
from respec_core.errors import ReSpecError
from respec_core.trace.benefit import SizeAt, benefit

NAMES = {"ratio": "× plain", "tokens_per_pass": "tokens per target pass", "best": "whether no other size pays more"}


def size_readings(fields: KnobFields, runs: Runs) -> list[Reading]:
    """Sizes from 1 node on."""
    run = runs(fields.trace)
    found = benefit(run.model_copy(update={"cost_curve": recorded_costs().points}))
    if found is None or len(found.sizes) < 2:
        raise ReSpecError("This knob needs a timed run whose draft nodes have scores: name another trace.")
    best, beside = found.best, found.drafting + found.rest
    return [_reading(size, beside, size == best) for size in found.sizes]


def _reading(size: SizeAt, beside: float, best: bool) -> Reading:
    said = (
        f"A pass would bring {size.tokens:.2f} tokens and cost {size.verify + beside:.2f} one-token forwards "
        f"(verifying {size.verify:.2f}, all else {beside:.2f}): {size.ratio:.2f}× plain decoding."
    )
    metrics = {"ratio": size.ratio, "tokens_per_pass": size.tokens, "best": float(best)}
    return {"value": size.nodes, "label": count(size.nodes, "node"), "sentence": said, "metrics": metrics}


KNOB = Knob("size", "Nodes of each draft that are sent", NAMES, None, size_readings)

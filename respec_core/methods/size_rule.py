"""Which rule sized a run's drafts, in words. Imports no torch."""

from __future__ import annotations

from respec_core.methods.registry import drafts
from respec_core.settings.run_config import RunConfig

WORDS = {
    "auto": "sizes that pay for themselves on this machine, by the clock",
    "own": "the method's own size",
}


def size_rule(config: RunConfig) -> str | None:
    """``auto``, ``own`` or ``at most N``, from a trace's settings; None where nothing is drafted or nothing is said."""
    drafting = config.drafting
    if not drafts(config.method) or "budget_rule" not in drafting.model_fields_set:
        return None
    if drafting.budget_rule == "fixed":
        return f"at most {drafting.budget}"
    return next((known for known in WORDS if known == drafting.budget_rule), None)

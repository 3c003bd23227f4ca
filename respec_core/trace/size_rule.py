"""Which rule sized a run's drafts, in words. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WORDS = {
    "auto": "sizes that pay for themselves on this machine, by the clock",
    "own": "the method's own size",
}


def size_rule(config: Mapping[str, Any]) -> str | None:
    """``auto``, ``own`` or ``at most N``, from a trace's ``config``; None where nothing is drafted or nothing is said."""
    drafting = config.get("drafting")
    if config.get("method") == "vanilla" or not isinstance(drafting, Mapping):
        return None
    rule = drafting.get("budget_rule")
    if rule == "fixed":
        return f"at most {drafting.get('budget')}"
    return next((known for known in WORDS if known == rule), None)

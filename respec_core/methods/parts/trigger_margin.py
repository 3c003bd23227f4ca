"""Between which thresholds ReSpec's gate decides a round alike. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from respec_core.methods.margins import ANY, Margin
from respec_core.trace.round import Decision


def entropy_margin(params: Mapping[str, Any], decision: Decision) -> Margin:
    """θ of ReSpec's gate (arXiv 2511.01282, Algorithm 1), which fires where the chosen window's mean is no higher."""
    if params["switch"] != "gate" or decision.k_star is None:
        return ANY
    calmest = decision.H[decision.k_star - 1]
    return Margin(low=calmest) if decision.triggered else Margin(high=calmest)

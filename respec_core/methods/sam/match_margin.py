"""Between which thresholds SAM-Decoding decides a round alike. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from respec_core.methods.margins import ANY, Margin
from respec_core.trace.round import Decision


def match_margin(params: Mapping[str, Any], decision: Decision) -> Margin:
    """The length from which on SAM-Decoding copies (arXiv 2411.10666, §3.3), in whole tokens."""
    match = decision.match
    if match is None:
        return ANY
    best = max(match.dyn, (match.static or 0) - match.bias)
    return Margin(high=best + 1) if decision.triggered else Margin(low=best + 1)

"""Whether a method learns from rejected tokens, which only a forward of the target tells. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from respec_core.methods.family import Learns
from respec_core.methods.needs import Need
from respec_core.methods.parts.shared import MODEL_DRAFTER

RECYCLING = "recycling"


def recycles(setting: str) -> Learns:
    """It does if ``setting`` names Token Recycling, or leaves the choice open where no model drafter is loaded."""

    def learns(params: Mapping[str, Any], has: Callable[[Need], bool]) -> bool:
        chosen = params.get(setting)
        return chosen == RECYCLING or (chosen == "auto" and not has(MODEL_DRAFTER))

    return learns

"""Between which values of a threshold a round goes the same way, so that a sweep need not play it for each. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from respec_core.trace.round import Decision


@dataclass(frozen=True)
class Margin:
    """Values from ``low`` on, below ``high``."""

    low: float = -inf
    high: float = inf

    def __contains__(self, value: float) -> bool:
        return self.low <= value < self.high

    def __and__(self, other: Margin) -> Margin:
        return Margin(max(self.low, other.low), min(self.high, other.high))


Told = Callable[[Mapping[str, Any], Decision], Margin]
ANY = Margin()


def common(told: Told, params: Mapping[str, Any], decisions: Iterable[Decision]) -> Margin:
    """Where all of a run's ``decisions`` stay, and so the run does."""
    found = ANY
    for decision in decisions:
        found &= told(params, decision)
    return found

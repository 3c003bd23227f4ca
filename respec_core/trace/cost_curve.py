"""Milliseconds of a target forward by new tokens. Imports no torch; measured in ``costs.py``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class CostCurve:
    """Milliseconds of a forward by new tokens.

    Attributes:
        points: ``(tokens, ms)`` ascending in tokens.
    """

    points: tuple[tuple[int, float], ...]

    @cached_property
    def _axes(self) -> tuple[np.ndarray, np.ndarray]:
        sizes, ms = zip(*self.points, strict=True)
        return np.array(sizes, float), np.maximum.accumulate(np.array(ms, float))  # noise must not pay for more tokens

    def ms(self, tokens: int) -> float:
        """Interpolated, never falling; beyond the last point along the last slope."""
        sizes, ms = self._axes
        if tokens > sizes[-1]:
            slope = (ms[-1] - ms[-2]) / (sizes[-1] - sizes[-2])
            return float(ms[-1] + slope * (tokens - sizes[-1]))
        return float(np.interp(tokens, sizes, ms))


def recorded_curve(points: Sequence[tuple[int, float]]) -> CostCurve | None:
    """A trace's curve, if it is one: two sizes or more, ascending, every price above 0."""
    sizes = [size for size, _ in points]
    sound = len(points) > 1 and sizes == sorted(set(sizes)) and all(ms > 0 for _, ms in points)
    return CostCurve(tuple(points)) if sound else None

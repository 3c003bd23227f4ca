"""Milliseconds of a target forward by new tokens. Imports no torch; measured in ``costs.py``."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from statistics import geometric_mean

from respec_core.boundary.limits import MAX_DRAFT

CONTEXT = 128  # tokens behind which it is measured, a short run's
NEWS = 0.25  # weight of a measurement beside those before
LEAST_FACTOR, MOST_FACTOR = 0.5, 4.0  # by which a run may fit a curve


@dataclass(frozen=True)
class CostCurve:
    """Milliseconds of a forward by new tokens.

    Attributes:
        points: ``(tokens, ms)`` ascending in tokens.
        growth: ms that each token of context beyond ``CONTEXT`` adds to a forward, and to it for each of its new tokens; None
            where nobody measured it.
    """

    points: tuple[tuple[int, float], ...]
    growth: tuple[float, float] | None = None

    @cached_property
    def _axes(self) -> tuple[list[int], list[float]]:
        sizes, ms = zip(*self.points, strict=True)
        return [*sizes], [*accumulate(ms, max)]  # noise must not pay for more tokens

    def ms(self, tokens: int) -> float:
        """Interpolated, never falling; below the first point its price, beyond the last one along the last slope."""
        sizes, ms = self._axes
        if tokens <= sizes[0]:
            return ms[0]
        at = min(bisect_left(sizes, tokens), len(sizes) - 1)
        slope = (ms[at] - ms[at - 1]) / (sizes[at] - sizes[at - 1])
        return ms[at - 1] + slope * (tokens - sizes[at - 1])

    @cached_property
    def least_for_more(self) -> float:
        """What every further token costs at least on average, however many there are, up to the largest draft."""
        return min((self.ms(n) - self.ms(1)) / (n - 1) for n in (2, *self._axes[0], 1 + MAX_DRAFT) if n > 1)

    def behind(self, context: int) -> CostCurve:
        """The curve behind so many tokens, which attention reads for every forward and computes with for every new token."""
        if self.growth is None:
            return self
        once, each = (ms * (context - CONTEXT) for ms in self.growth)
        return CostCurve(tuple((size, max(ms + once + each * size, ms * LEAST_FACTOR)) for size, ms in self.points))

    def fitted(self, one: float, more: float) -> CostCurve:
        """The curve with ``one`` times the price of a single token, and ``more`` times what further tokens add to it."""
        if one == more == 1:
            return self
        sizes, ms = self._axes
        return CostCurve(
            tuple((size, one * ms[0] + more * (cost - ms[0])) for size, cost in zip(sizes, ms, strict=True))
        )


def averaged(curves: Sequence[CostCurve], weights: Sequence[float]) -> CostCurve:
    """The weighted mean of curves over the same sizes."""
    total = sum(weights)
    sizes = [size for size, _ in curves[0].points]
    columns = zip(*([ms for _, ms in curve.points] for curve in curves), strict=True)
    means = (sum(w * ms for w, ms in zip(weights, column, strict=True)) / total for column in columns)
    return CostCurve(tuple(zip(sizes, means, strict=True)))


def learnt(kept: CostCurve, new: CostCurve) -> CostCurve:
    """``kept`` after another measurement of the same sizes: as fast as the faster of both, and shaped by all so far.

    What else a machine does only adds time, so the faster one is nearer its own. But how sizes compare is known no better in a
    fast hour: a quarter of that is the new one's. Growth is the kept one's, in proportion, unless only the new one has it.
    """
    level = min(_level(kept), _level(new))
    of_kept, of_new = level / _level(kept), level / _level(new)
    points = tuple(
        (size, (old * of_kept) ** (1 - NEWS) * (now * of_new) ** NEWS)
        for (size, old), (_, now) in zip(kept.points, new.points, strict=True)
    )
    source, share = (kept, of_kept) if kept.growth else (new, of_new)
    return CostCurve(points, (source.growth[0] * share, source.growth[1] * share) if source.growth else None)


def _level(curve: CostCurve) -> float:
    """Every size weighing the same."""
    return geometric_mean(ms for _, ms in curve.points)


def recorded_curve(points: Sequence[tuple[int, float]]) -> CostCurve | None:
    """A trace's curve, if it is one: two sizes or more, ascending, every price above 0."""
    sizes = [size for size, _ in points]
    sound = len(points) > 1 and sizes == sorted(set(sizes)) and all(ms > 0 for _, ms in points)
    return CostCurve(tuple(points)) if sound else None

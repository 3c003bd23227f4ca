"""× plain: how much faster a run was than plain decoding, with what the figure rests on. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from statistics import median

from respec_core.trace.schema import Run


@dataclass(frozen=True)
class Speed:
    """Plain decoding's decode seconds ÷ the run's: the median of ``repeats`` ratios, the smallest and the largest.

    Attributes:
        silent: whether both ran in turn with nothing drawn; else each was timed once, the run while it was shown.
    """

    ratio: float
    low: float
    high: float
    repeats: int
    silent: bool

    @property
    def clear(self) -> bool:
        """Whether every repeat says the same of faster or slower; one timing never does."""
        return self.silent and self.repeats > 1 and (self.low > 1 or self.high < 1)


def speed_of(run: Run) -> Speed | None:
    """From the repeats where there are any, else from the one timing each; None where nothing was timed, or beyond measure."""
    plain, summary = run.reference_ar, run.summary
    if plain is None or summary is None:
        return None
    timed = [_ratio(repeat.plain_s, repeat.run_s) for repeat in plain.repeats]
    ratios = [ratio for ratio in timed if ratio is not None]
    if ratios:
        return Speed(median(ratios), min(ratios), max(ratios), len(ratios), silent=True)
    once = _ratio(plain.wall_s, summary.wall_s)
    return None if once is None else Speed(once, once, once, 1, silent=False)


def _ratio(plain_s: float, run_s: float) -> float | None:
    ratio = plain_s / run_s if plain_s > 0 and run_s > 0 else 0.0
    return ratio if ratio > 0 and isfinite(ratio) else None

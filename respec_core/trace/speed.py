"""× plain: how much faster a run was than plain decoding, with what the figure rests on. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass
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
    """From the repeats where there are any, else from the one timing each; None where nothing was timed."""
    plain, summary = run.reference_ar, run.summary
    if plain is None or summary is None:
        return None
    ratios = [repeat.plain_s / repeat.run_s for repeat in plain.repeats if repeat.plain_s > 0 and repeat.run_s > 0]
    if ratios:
        return Speed(median(ratios), min(ratios), max(ratios), len(ratios), silent=True)
    if summary.wall_s <= 0 or plain.wall_s <= 0:
        return None
    once = plain.wall_s / summary.wall_s
    return Speed(once, once, once, 1, silent=False)

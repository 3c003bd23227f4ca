"""Intervals by bootstrap over prompts: how far other prompts of the same kind might move a figure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

DRAWS, SHARE, SEED = 2000, 0.95, 0
Interval = tuple[float, float]


def bootstrap(prompts: int, statistic: Callable[[NDArray[np.int64]], NDArray[np.float64]]) -> Interval | None:
    """The central 95 % of a figure over prompts drawn anew, with replacement; the same on every call.

    Args:
        prompts: how many there are; fewer than two say nothing: None.
        statistic: from indices of prompts ``[draws, prompts]`` to the figure of each draw ``[draws]``.
    """
    if prompts < 2:
        return None
    drawn = np.random.default_rng(SEED).integers(0, prompts, (DRAWS, prompts))
    low, high = np.quantile(statistic(drawn), ((1 - SHARE) / 2, (1 + SHARE) / 2)).tolist()
    return low, high

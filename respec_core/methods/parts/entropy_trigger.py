"""When to retrieve (ReSpec, arXiv 2511.01282, Algorithm 1): where the newest confirmed tokens were predictable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True)
class Trigger:
    """Algorithm 1: ``H[k-1]`` is the mean of the newest k entropies, ``C[k-1] = H[k-1] + λ/k``, k* minimises C."""

    H: tuple[float, ...]
    C: tuple[float, ...]
    k_star: int | None
    fires: bool

    @property
    def calmest(self) -> float | None:
        """Mean entropy of the chosen window, None without any."""
        return None if self.k_star is None else self.H[self.k_star - 1]


def entropy_trigger(entropies: Sequence[float], lookback: int, lambda_e: float, theta: float) -> Trigger:
    """Whether the newest confirmed tokens (entropies newest first) were predictable enough to copy from the past.

    Without any entropy, before the first round, it does not fire.
    """
    sums = enumerate(accumulate(entropies[:lookback]), 1)
    means = tuple([total / k for k, total in sums])
    costs = tuple([mean + lambda_e / k for k, mean in enumerate(means, 1)])
    if not costs:
        return Trigger((), (), None, False)
    k_star = costs.index(min(costs)) + 1
    return Trigger(means, costs, k_star, means[k_star - 1] <= theta)

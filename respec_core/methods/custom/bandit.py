"""Which arm pays best: upper confidence bounds (UCB1, Auer et al. 2002), an arm a drafter (BanditSpec, arXiv 2505.15141).

BanditSpec's arms are draft lengths, and its released code divides the bonus by the number of all rounds, which is the
same for every arm: after the warm-up it takes the best mean. Here every arm has a bonus of its own. Imports no torch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from respec_core.methods.custom.record import Arm
from respec_core.trace.cost_curve import CostCurve

DRAFTING = ("retrieve", "draft", "search", "fuse")  # phases whose time a reward pays for


def reward(emitted: int, nodes: int, phase_ms: Mapping[str, float], costs: CostCurve | None) -> float:
    """What a round was worth: its tokens, or where time counts its speed over plain decoding's.

    Args:
        nodes: that the target saw, the root included.
        costs: of the target's forwards; None where time does not count.
    """
    if costs is None:
        return float(emitted)
    spent = costs.ms(nodes) + sum(phase_ms.get(phase, 0.0) for phase in DRAFTING)
    return emitted * costs.ms(1) / spent


@dataclass
class Bandit:
    """A run's arms, in their order.

    Attributes:
        names: of the arms.
        explore: the bonus's factor under the root.
        warm_rounds: rounds that every arm has at first.
    """

    names: Sequence[str]
    explore: float
    warm_rounds: int
    _rewards: dict[str, list[float]] = field(default_factory=dict)

    def arms(self) -> tuple[Arm, ...]:
        """How they stand: rounds, mean reward, and upper bound, which an arm that was never tried lacks."""
        rounds = sum(map(len, self._rewards.values()))
        return tuple(self._arm(name, self._rewards.get(name, []), rounds) for name in self.names)

    def _arm(self, name: str, rewards: Sequence[float], rounds: int) -> Arm:
        n = len(rewards)
        if not n:
            return Arm.model_construct(name=name, count=0, mean=None, bound=None)
        mean = sum(rewards) / n
        bound = mean + math.sqrt(self.explore * math.log(rounds) / n)
        return Arm.model_construct(name=name, count=n, mean=mean, bound=bound)

    def best(self, arms: Sequence[Arm]) -> Arm:
        """The least tried while one is not warm, then the highest bound; the first of equals."""
        coldest = min(arms, key=lambda arm: arm.count)
        if coldest.count < self.warm_rounds:
            return coldest
        return max(arms, key=lambda arm: arm.bound or 0.0)

    def learn(self, name: str, value: float) -> None:
        """What a round of this arm was worth."""
        self._rewards.setdefault(name, []).append(value)

"""FLy (arXiv 2511.22972): which mismatches of a drafted chain pass, from the target's decisions along it. Lossy.

A mismatch passes where the target was unsure and agrees with everything that follows for a while: then the draft, it is
argued, said the same in other words. The authors' ``win_len`` = 6 counts the mismatch itself, so that 5 decisions follow
(their code also wants one more drafted token behind); vLLM's ``fly_window_size`` counts those that follow, as here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Strip:
    """The target's greedy decisions along a drafted chain, one a drafted token, first to last.

    Attributes:
        agrees: whether the token is the target's own.
        closed: whether it, or the target's own, ends or steers a text; a mismatch passes neither there nor across it.
    """

    agrees: tuple[bool, ...]
    closed: tuple[bool, ...]

    def deferred(self, i: int, window: int) -> bool:
        """Whether place ``i`` is a mismatch with ``window`` decisions behind it, all of which agree."""
        end = i + 1 + window
        followed = end <= len(self.agrees) and all(self.agrees[i + 1 : end])
        return not self.agrees[i] and followed and not any(self.closed[i:end])

    def accepted(self, window: int, passes: Callable[[int], bool]) -> int:
        """Length of the accepted prefix; ``passes`` is the gate, asked of deferred mismatches alone."""
        for i, agrees in enumerate(self.agrees):
            if not agrees and not (self.deferred(i, window) and passes(i)):
                return i
        return len(self.agrees)


def top_entropy(p: Iterable[float]) -> float:
    """``−Σ p ln p`` of the likeliest tokens' probabilities, not made to sum to 1: small where the target is sure."""
    return -sum(x * math.log(x) for x in p if x > 0)

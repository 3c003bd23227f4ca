"""The pulled probability of a drafted token for any η, from what a trace holds of its row. Imports no torch."""

from __future__ import annotations

import math
from collections.abc import Sequence

from respec_core.methods.rapid.record import Pulled


def pulled_p(p: float, q: float, candidates: Sequence[Pulled], eta: float, *, moved: bool) -> float:
    """``p̂`` of a token: its own ``p·exp(−η(p − q))`` if it is ``moved``, over what all tokens add up to then.

    Args:
        candidates: all that are moved.
    """
    total = 1 + sum(one.p * math.expm1(-eta * (one.p - one.q)) for one in candidates)
    own = p * math.exp(-eta * (p - q)) if moved else p
    return own / total if total > 0 else 0.0

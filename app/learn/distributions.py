"""Distributions that a lesson declares, and what the accept rule makes of them (arXiv 2211.17192 §2.3)."""

from __future__ import annotations

import math

from respec_core.errors import ReSpecError, quoted

MOST = 8
Distribution = tuple[float, ...]


def distribution(text: str) -> Distribution:
    """Probabilities from ``0.5 0.3 0.2``.

    Raises:
        ReSpecError: if they are none, or do not sum to 1.
    """
    try:
        found = tuple(map(float, text.split()))
    except ValueError:
        raise ReSpecError(f"{quoted(text)} is no list of probabilities such as ‘0.5 0.3 0.2’.") from None
    if not 2 <= len(found) <= MOST or any(not 0 <= p <= 1 for p in found) or abs(sum(found) - 1) > 1e-6:
        raise ReSpecError(f"{quoted(text)} should be 2 to {MOST} probabilities that sum to 1.")
    return found


def kept_share(p: Distribution, q: Distribution) -> float:
    """How often a token drawn from ``q`` is accepted: Σ min(p, q)."""
    return sum(map(min, p, q))


def residual(p: Distribution, q: Distribution) -> Distribution:
    """What a rejection draws from: max(p − q, 0), made to sum to 1; ``p`` where nothing is ever rejected."""
    left = [max(a - b, 0.0) for a, b in zip(p, q, strict=True)]
    total = sum(left)
    return tuple(x / total for x in left) if total > 0 else p


def outcome(p: Distribution, q: Distribution, accepts: Distribution) -> Distribution:
    """What is written if a token x of ``q`` is accepted with probability ``accepts[x]``, else drawn from the residual."""
    rejected = 1 - sum(b * a for b, a in zip(q, accepts, strict=True))
    return tuple(b * a + rejected * r for b, a, r in zip(q, accepts, residual(p, q), strict=True))


def tempered(q: Distribution, temperature: float) -> Distribution:
    """``q`` at another temperature."""
    logs = [math.log(x) / temperature if x > 0 else -math.inf for x in q]
    top = max(logs)
    weights = [math.exp(x - top) for x in logs]
    return tuple(w / sum(weights) for w in weights)

"""The distribution that was decided by, as far as the recorded one tells: temperature, top-k and top-p of five known values."""

from __future__ import annotations

import math
from collections.abc import Sequence

from respec_core.settings.run_config import SamplingSettings


def possible(p: float, rank: int, top: Sequence[float], vocab: int | None, settings: SamplingSettings) -> bool:
    """Whether a token of this probability and rank can be left after top-k and top-p (no penalty)."""
    k = settings.top_k
    if k and rank > k and not (k <= len(top) and math.isclose(p, top[k - 1], rel_tol=1e-5)):
        return False
    if settings.top_p == 1:
        return True
    share, _, high = _scaled(top, vocab, settings.temperature)
    before = sum(x for x, q in zip(share, top, strict=True) if q > p * (1 + 1e-5))
    return high == math.inf or before / high < settings.top_p + 1e-4


def bounds(p: float, top: Sequence[float], vocab: int | None, settings: SamplingSettings) -> tuple[float, float]:
    """Least and most probability that a token of plain probability ``p`` has after temperature, top-k and top-p."""
    if top[0] <= 0:
        return 0.0, 1.0
    share, low, high = _scaled(top, vocab, settings.temperature)
    own = _power(p / top[0], settings.temperature)
    if settings.top_k or settings.top_p < 1:  # cutting leaves at least what ranks no lower
        low = sum(x for x, q in zip(share, top, strict=True) if q >= p)
        low += own if all(q != p for q in top) else 0.0
        if 0 < settings.top_k < len(top) and top[settings.top_k] < top[settings.top_k - 1]:
            high = min(high, sum(share[: settings.top_k]))
    return own / high if high > 0 else 0.0, min(1.0, own / low) if low > 0 else 1.0


def _power(ratio: float, temperature: float) -> float:
    return math.exp(min(max(math.log(ratio) / temperature, -700.0), 700.0)) if ratio > 0 else 0.0


def _scaled(top: Sequence[float], vocab: int | None, temperature: float) -> tuple[list[float], float, float]:
    """``(p / p_max)^(1/T)`` of the best, and least and most that all of these can add up to."""
    share = [_power(p / top[0], temperature) for p in top]
    head, last = sum(share), share[-1]
    others = None if vocab is None else max(0, vocab - len(top))
    rest = max(0.0, 1 - sum(top))
    if others == 0 or rest == 0 or top[-1] <= 0:
        return share, head, head + (0.0 if others == 0 else 1e-6)
    packed = last * rest / top[-1]  # as few tokens as can hold the rest, each as likely as the last known one
    spread = math.inf if others is None else others * _power(rest / others / top[0], temperature)
    if others is None and temperature <= 1:
        spread = 0.0
    return share, head + min(packed, spread), head + max(packed, spread)

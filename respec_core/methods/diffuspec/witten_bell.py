"""Witten–Bell smoothing (Witten and Bell, 1991): as much is held back for new tokens as different ones were seen. No torch."""

from __future__ import annotations

import numpy as np


def witten_bell(counts: np.ndarray, total: int, kinds: int, shorter: np.ndarray | float) -> np.ndarray:
    """``p(v|h) = (c(h,v) + T(h)·p(v|h')) / (N(h) + T(h))``, probabilities ``[n]``.

    Args:
        counts: how often each token followed the history h, ``[n]``.
        total: N, everything that followed h.
        kinds: T, how many different tokens did; at least one.
        shorter: probabilities ``[n]`` behind h', which is h without its oldest token; behind nothing, the uniform one.
    """
    p: np.ndarray = (counts + kinds * shorter) / (total + kinds)
    return p

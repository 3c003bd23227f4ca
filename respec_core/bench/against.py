"""Rows of a benchmark against one of them, on the same prompts: what both share of a prompt's ease cancels out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from respec_core.bench.intervals import bootstrap
from respec_core.bench.results import Measurement


def against(measurements: Iterable[Measurement], row: str) -> dict[str, Any]:
    """Tokens per target pass of every other row ÷ those of ``row``: ``{"row", "kinds": {kind: {row: …}}, "overall": {row: …}}``.

    Each with ``ratio``, its ``interval`` over prompts (None for one prompt) and the number of ``questions``.
    """
    by_row: dict[str, dict[str, Measurement]] = defaultdict(dict)
    for m in measurements:
        if m.tokens:
            by_row[m.method][m.question] = m
    base = by_row.pop(row, {})
    pairs = {
        name: [(found[question], base[question]) for question in base if question in found]
        for name, found in by_row.items()
    }
    kinds = dict.fromkeys(m.kind for m in base.values())
    return {
        "row": row,
        "kinds": {
            kind: {name: _ratio([pair for pair in both if pair[1].kind == kind]) for name, both in pairs.items()}
            for kind in kinds
        },
        "overall": {name: _ratio(both) for name, both in pairs.items()},
    }


def _ratio(pairs: Sequence[tuple[Measurement, Measurement]]) -> dict[str, Any]:
    tokens, passes = (
        np.array([[getattr(m, name) for m in pair] for pair in pairs], dtype=float).reshape(-1, 2)
        for name in ("tokens", "target_passes")
    )

    def ratio(drawn: NDArray[np.int64]) -> NDArray[np.float64]:
        rates: NDArray[np.float64] = tokens[drawn].sum(-2) / passes[drawn].sum(-2)
        return rates[..., 0] / rates[..., 1]

    return {
        "ratio": float(ratio(np.arange(len(pairs)))) if pairs else None,
        "interval": bootstrap(len(pairs), ratio),
        "questions": len(pairs),
    }

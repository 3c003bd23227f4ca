"""Where a run's own text matches its end. Imports no torch."""

from __future__ import annotations

from collections.abc import Sequence


def match_at(ids: Sequence[int], end: int) -> int:
    """How many of the newest tokens of ``ids`` stand just before ``end`` too."""
    here = len(ids)
    return next((m for m in range(end) if ids[end - m - 1] != ids[here - m - 1]), end)

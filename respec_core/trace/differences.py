"""Where two outputs part."""

from __future__ import annotations

from collections.abc import Sequence


def first_difference(ours: Sequence[object], theirs: Sequence[object]) -> int | None:
    """First index at which two sequences differ; None if they are equal."""
    for i, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return i
    return None if len(ours) == len(theirs) else min(len(ours), len(theirs))

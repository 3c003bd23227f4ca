"""Where two outputs part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

EXACT = frozenset(
    {"fp32", "int8"}
)  # verifying a block in these flips no choice: fp32 as measured, int8 to the last bit


def first_difference(ours: Sequence[object], theirs: Sequence[object]) -> int | None:
    """First index at which two sequences differ; None if they are equal."""
    for i, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return i
    return None if len(ours) == len(theirs) else min(len(ours), len(theirs))


def repeats_itself(models: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether strict greedy decoding by a trace's target has to write plain decoding's text."""
    return str(models.get("target", {}).get("dtype")) in EXACT  # of a trace from elsewhere it may be anything

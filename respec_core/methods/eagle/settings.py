"""EAGLE-2's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from respec_core.settings.run_config import Settings, knob


class Eagle2Settings(Settings):
    """EAGLE-2 (arXiv 2406.16858): a feature head's dynamic tree, expanded and reranked by path probability."""

    total_tokens: int = knob(
        60,
        "Tree nodes",
        "Nodes verified at once, the root included.",
        provenance="code",
        ge=2,
        le=128,
        step=1,
        unit="nodes",
    )
    depth: int = knob(
        5,
        "Tree depth",
        "Levels grown; one pass of the head each.",
        provenance="code",
        ge=1,
        le=12,
        step=1,
        unit="levels",
    )
    top_k: int = knob(
        10, "Width", "Nodes expanded on a level, and children of each.", provenance="code", ge=1, le=16, step=1
    )

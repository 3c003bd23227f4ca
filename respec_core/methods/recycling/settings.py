"""Token Recycling's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from respec_core.settings.run_config import Settings, knob


class RecyclingSettings(Settings):
    """Token Recycling (arXiv 2408.08696): remembered successors as a static tree."""

    tree_nodes: int = knob(
        80,
        "Tree nodes",
        "Size of the static tree (its level sizes are scaled).",
        provenance="code",
        ge=1,
        le=128,
        step=1,
    )

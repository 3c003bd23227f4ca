"""Token Recycling's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from collections.abc import Sequence

from respec_core.settings.declaring import Settings, knob
from respec_core.settings.sketch import Portion

LEVELS = (8, 21, 25, 15, 8, 3)  # nodes a level of the authors' tree "2.2.2"


def scaled(nodes: int, levels: Sequence[int] = LEVELS) -> tuple[int, ...]:
    """``levels`` with at most ``nodes`` nodes in all, shared out as they are there."""
    share, left = nodes / sum(levels), nodes
    sizes = []
    for size in levels:
        sizes.append(min(max(1, round(size * share)), left))
        left -= sizes[-1]
    return tuple(sizes)


def recycled(levels: Sequence[int] = LEVELS) -> Portion:
    """A static tree with so many nodes a level; less where successors are not known yet."""
    return Portion("remembered successors", "recycle", tuple(size for size in levels if size))


class RecyclingSettings(Settings):
    """Token Recycling (arXiv 2408.08696): remembered successors as a static tree."""

    tree_nodes: int = knob(
        80,
        "Tree nodes",
        "Size of the static tree (its level sizes are scaled).",
        line="how many remembered successors are tried",
        provenance="code",
        ge=1,
        le=128,
        step=1,
    )

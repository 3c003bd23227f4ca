"""How large a tree the target's head grows: its three settings, declared once for every family that grows one.

Imports no torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from respec_core.settings.run_config import Provenance, knob


@dataclass(frozen=True)
class HeadTree:
    """Attributes:
    nodes: verified at once, the root included.
    depth: as the authors of EAGLE-2 count: passes of the head behind its first, so that ``depth + 1`` levels grow.
    top_k: nodes expanded on a level, and children of each.
    """

    nodes: int
    depth: int
    top_k: int


EAGLE2_CODE = HeadTree(nodes=60, depth=5, top_k=10)  # the EAGLE-2 authors' evaluation scripts


def nodes_knob(
    default: int,
    label: str = "Tree nodes",
    help: str = "Nodes verified at once, the root included.",
    provenance: Provenance = "ours",
) -> Any:
    """The setting of :attr:`HeadTree.nodes`."""
    return knob(default, label, help, provenance=provenance, ge=2, le=128, step=1, unit="nodes")


def depth_knob(default: int, label: str, provenance: Provenance = "ours") -> Any:
    """The setting of :attr:`HeadTree.depth`."""
    help = "Passes of the head behind its first, as EAGLE-2's authors count: the tree has one level more."
    return knob(default, label, help, provenance=provenance, ge=0, le=12, step=1, unit="passes")


def width_knob(default: int, label: str, provenance: Provenance = "ours") -> Any:
    """The setting of :attr:`HeadTree.top_k`."""
    help = "Nodes of the head's tree expanded on a level, and children of each."
    return knob(default, label, help, provenance=provenance, ge=1, le=16, step=1)

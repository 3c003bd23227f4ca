"""How large a tree the target's head grows: its three settings, declared once for every family that grows one.

Imports no torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from respec_core.settings.declaring import Provenance, knob
from respec_core.settings.sketch import Portion


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

    def part(self, name: str = "the head") -> Portion:
        """The most that it grows: ``top_k`` children of the root, then as many of each of ``top_k`` nodes a level."""
        return Portion(name, "model", (self.top_k, *(self.top_k**2 for _ in range(self.depth))), self.nodes - 1)


Idle = Mapping[str, Sequence[Any]]
ALWAYS: Idle = MappingProxyType({})  # it has an effect whatever else is set
EAGLE2_CODE = HeadTree(nodes=60, depth=5, top_k=10)  # the EAGLE-2 authors' evaluation scripts


def nodes_knob(
    default: int,
    label: str = "Tree nodes",
    help: str = "Nodes verified at once, the root included.",
    provenance: Provenance = "ours",
    idle: Idle = ALWAYS,
) -> Any:
    """The setting of :attr:`HeadTree.nodes`."""
    line = "how many guesses the target checks at once"
    limits: dict[str, Any] = {"ge": 2, "le": 128, "step": 1}
    return knob(default, label, help, provenance=provenance, unit="nodes", line=line, idle=idle, **limits)


def depth_knob(default: int, label: str, provenance: Provenance = "ours", idle: Idle = ALWAYS) -> Any:
    """The setting of :attr:`HeadTree.depth`."""
    help = "Passes of the head behind its first, as EAGLE-2's authors count: the tree has one level more."
    line = "how far ahead the head guesses"
    limits: dict[str, Any] = {"ge": 0, "le": 12, "step": 1}
    return knob(default, label, help, provenance=provenance, unit="passes", line=line, idle=idle, **limits)


def width_knob(default: int, label: str, provenance: Provenance = "ours", idle: Idle = ALWAYS) -> Any:
    """The setting of :attr:`HeadTree.top_k`."""
    help = "Nodes of the head's tree expanded on a level, and children of each."
    line = "how many alternatives it keeps on each level"
    return knob(default, label, help, provenance=provenance, line=line, idle=idle, ge=1, le=16, step=1)

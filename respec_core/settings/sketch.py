"""The largest draft that settings allow, to be shown before anything runs. Imports no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from respec_core.boundary.limits import MAX_DRAFT

SOURCES_THAT_COPY = frozenset({"dynamic", "datastore"})


@dataclass(frozen=True)
class Portion:
    """The most that one drafter gives in a round.

    Attributes:
        name: who, in words.
        source: its mark in drawings, a source of the trace's.
        levels: most nodes at each depth, the root's children first.
        nodes: most in all, the root left out; None where the levels alone say it.
    """

    name: str
    source: str
    levels: tuple[int, ...]
    nodes: int | None = None

    def most(self, limit: int = MAX_DRAFT) -> int:
        """Nodes, where no more than ``limit`` go to the target."""
        return min(sum(self.levels), limit, MAX_DRAFT if self.nodes is None else self.nodes)

    def depth(self, limit: int = MAX_DRAFT) -> int:
        """Levels."""
        return min(len(self.levels), self.most(limit))

    def width(self, limit: int = MAX_DRAFT) -> int:
        """Nodes of the fullest level: one node on each level above it must be there too."""
        most = self.most(limit)
        return max((min(size, most - above) for above, size in enumerate(self.levels)), default=0)


@dataclass(frozen=True)
class Sketch:
    """What a round may draft.

    Attributes:
        parts: by drafter.
        nodes: most in all, the root left out; None where the parts alone say it.
        beyond: whether likely nodes may be sent beyond ``nodes``.
        together: whether the parts can stand in one tree; else a round has one of them.
    """

    parts: tuple[Portion, ...]
    nodes: int | None = None
    beyond: bool = False
    together: bool = False

    def most(self, limit: int | None) -> int:
        """Nodes in all, where ``limit`` is set by hand."""
        bounds = [MAX_DRAFT if self.beyond or self.nodes is None else self.nodes, MAX_DRAFT if limit is None else limit]
        sizes = [part.most() for part in self.parts]
        return min(*bounds, sum(sizes) if self.together else max(sizes, default=0))

    @property
    def copies(self) -> bool:
        """Whether anything is copied from text."""
        return any(part.source in SOURCES_THAT_COPY for part in self.parts)


def branches(name: str, source: str, length: int, count: int = 1) -> Portion:
    """So many chains below one root."""
    return Portion(name, source, (count,) * length)


def example(levels: Sequence[int], nodes: int) -> tuple[int, ...]:
    """A tree of ``nodes`` nodes within ``levels``: the parent of each below the root, which is 0.

    It is as deep as it can be, and as full near the root as the rest allows.
    """
    depth = min(len(levels), nodes)
    sizes, left = [1] * depth, nodes - depth
    for level, size in enumerate(levels[:depth]):
        more = min(size - 1, left)
        sizes[level] += more
        left -= more
    parents: list[int] = []
    above, width = 0, 1
    for size in sizes:
        parents += [above + child * width // size if size >= width else above + child for child in range(size)]
        above, width = len(parents) - size + 1, size
    return tuple(parents)

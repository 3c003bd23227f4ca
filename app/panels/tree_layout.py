"""Where the nodes of a tree go: x is depth, a parent sits in the middle of its children, which keep their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Placement:
    """Coordinates of every node, and the rows and columns they fill."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    columns: int
    rows: int


def place(parents: Sequence[int]) -> Placement:
    """Lay out a tree given by ``parents`` (``parents[i] < i``, the root has -1)."""
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
    depth = [0] * len(parents)
    y = [0.0] * len(parents)
    leaves = 0
    stack = [(0, False)]
    while stack:  # iterative: a chain may be deeper than Python's stack
        node, done = stack.pop()
        if done:
            y[node] = (y[children[node][0]] + y[children[node][-1]]) / 2
        elif children[node]:
            stack.append((node, True))
            for kid in reversed(children[node]):
                depth[kid] = depth[node] + 1
                stack.append((kid, False))
        else:
            y[node] = -float(leaves)
            leaves += 1
    return Placement(tuple(map(float, depth)), tuple(y), max(depth) + 1, max(1, leaves))

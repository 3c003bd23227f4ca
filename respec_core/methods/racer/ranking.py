"""What RACER drafts behind its borders, and the shape of the rest (arXiv 2604.14885 §3.1 to 3.3). Imports no torch."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from respec_core.methods.parts.rank_prior import RANK_PRIOR
from respec_core.methods.racer.automaton import State


@dataclass(frozen=True)
class Continued:
    """A token behind the root, as one or several borders go on.

    Attributes:
        parent: index of the one above, −1 for the root.
        states: the border's index and the state it leads to, the longest border first.
        windows: n-grams, of the border that has most.
        share: of a border's n-grams, the most that go on so.
    """

    token: int
    parent: int
    depth: int
    states: tuple[tuple[int, State], ...]
    windows: int
    share: float


def continued(borders: Sequence[State], most: int, deepest: int) -> list[Continued]:
    """The ``most`` most frequent texts behind all borders, each once; of equal ones the shorter, the longer border's, the newest.

    A text is never more frequent than what it begins with, so that best first is breadth-first by layers until a layer
    improves nothing, as the paper has it.
    """
    grown: list[Continued] = []
    heap: list[tuple[tuple[int, int, int, int], int, Continued]] = []
    serial = 0

    def below(parent: int, depth: int, states: Sequence[tuple[int, State]]) -> None:
        nonlocal serial
        branches: dict[int, list[tuple[int, State]]] = {}
        for border, state in states:
            for token, child in state.below.items():
                branches.setdefault(token, []).append((border, child))
        for token, found in branches.items():
            windows = max(child.windows for _, child in found)
            share = max(child.windows / borders[border].windows for border, child in found)
            one = Continued(token, parent, depth, tuple(found), windows, share)
            serial += 1
            heapq.heappush(heap, ((-windows, depth, found[0][0], -found[0][1].end), serial, one))

    below(-1, 1, [*enumerate(borders)])
    while heap and len(grown) < most:
        *_, one = heapq.heappop(heap)
        grown.append(one)
        if one.depth < deepest:
            below(len(grown) - 1, one.depth + 1, one.states)
    return grown if deepest > 0 else []


def narrowing(breadth: int, depth: int) -> Iterator[int]:
    """Breadths of the children of a node that may have ``breadth``: each later sibling half of the one before, at least 1.

    The root's first child has the root's own breadth; further down the first has half of its parent's.
    """
    first = breadth if depth == 0 else breadth >> 1
    return (max(1, first >> child) for child in range(breadth))


@cache
def logits_template(nodes: int, breadth: int) -> tuple[tuple[int, int, float], ...]:
    """(parent, rank, prior) of the first so many nodes below the root, breadth-first."""
    tree: list[tuple[int, int, float]] = [(-1, 0, 1.0)]
    reach = [(breadth, 0)]
    at = 0
    while len(tree) <= nodes and at < len(tree):
        wide, depth = reach[at]
        for rank, below in enumerate(narrowing(wide, depth)):
            if len(tree) > nodes:
                break
            tree.append((at, rank, tree[at][2] * RANK_PRIOR[rank]))
            reach.append((below, depth + 1))
        at += 1
    return tuple(tree[1:])


@cache
def logits_levels(nodes: int, breadth: int) -> tuple[int, ...]:
    """Nodes a level of it."""
    depths = [0]
    for parent, _, _ in logits_template(nodes, breadth):
        depths.append(depths[parent] + 1)
    return tuple(depths.count(depth) for depth in range(1, max(depths) + 1))

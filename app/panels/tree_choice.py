"""Which nodes of a tree are drawn where there is no room for all: the most telling ones, each with its ancestors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from respec_core.trace.round import Node


def telling(nodes: Sequence[Node], most: int, rank: Callable[[Node], Any]) -> list[Node]:
    """The root and at most ``most`` other nodes, in order, those of lowest ``rank`` first.

    ``nodes[i].id == i`` and parents come before their children, as in every trace that was let in.
    """
    if len(nodes) <= most + 1:
        return list(nodes)
    chosen = {0}
    for node in sorted(nodes[1:], key=rank):
        if len(chosen) > most:
            break
        chosen.update(_line(nodes, node, chosen, most + 1 - len(chosen)))
    return [node for node in nodes if node.id in chosen]


def _line(nodes: Sequence[Node], node: Node, chosen: set[int], room: int) -> list[int]:
    """``node`` and those of its ancestors that are missing; nothing where they are more than ``room``."""
    line: list[int] = []
    while node.id not in chosen:
        if len(line) == room:
            return []
        line.append(node.id)
        node = nodes[node.parent]
    return line

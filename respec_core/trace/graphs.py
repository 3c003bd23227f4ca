"""What a round drafted as networkx graphs with all data of the nodes, and their files. Imports no torch."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, runtime_checkable

import networkx as nx

from respec_core.errors import ReSpecError, quoted
from respec_core.trace.round import Node
from respec_core.trace.schema import Run

NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # a parser refuses or changes these


@runtime_checkable
class Drawable(Protocol):
    """A method's record of a round that has a graph of its own."""

    def graph(self) -> nx.DiGraph:
        """The graph, with all data of its nodes."""


def round_graph(run: Run, round: int, part: str = "final") -> nx.DiGraph:
    """A graph of what a round of ``run`` drafted.

    Args:
        part: a tree (``final``, what the target verified; ``drafter`` and ``retrieval``, what that was made from), or the
            name of a method's record that is :class:`Drawable` (``lattice``).

    Raises:
        ReSpecError: if there is no such round, or nothing of that name in it.
    """
    if not 0 <= round < len(run.steps):
        there = f"rounds 0 to {len(run.steps) - 1}" if run.steps else "no rounds"
        raise ReSpecError(f"There is no round {round}: the run has {there}.")
    step = run.steps[round]
    parts: dict[str, Callable[[], nx.DiGraph]] = {
        name: partial(tree_graph, nodes) for name, nodes in step.trees if nodes is not None
    }
    parts |= {name: record.graph for name, record in step.records.items() if isinstance(record, Drawable)}
    if part not in parts:
        raise ReSpecError(f"Round {round} has no part {quoted(part)}; it has: {', '.join(parts)}.")
    made = parts[part]()
    made.graph.update(round=round, part=part, method=run.method)
    return made


def tree_graph(nodes: Sequence[Node]) -> nx.DiGraph:
    """A draft tree: edges from parent to child, every node with its whole record."""
    graph = nx.DiGraph()
    for node in nodes:
        graph.add_node(node.id, **node.model_dump(mode="json", exclude={"id"}))
    graph.add_edges_from((node.parent, node.id) for node in nodes if node.parent >= 0)
    return graph


def to_json(graph: nx.DiGraph) -> str:
    """Node-link JSON, as :func:`networkx.node_link_graph` reads it."""
    return json.dumps(nx.node_link_data(graph, edges="edges"), ensure_ascii=False, allow_nan=False)


def to_graphml(graph: nx.DiGraph) -> str:
    """GraphML, which knows scalars only: lists become JSON text, what is missing is left out.

    A character that XML cannot carry is shown by its number, as ``⟨1B⟩``.
    """
    plain = nx.DiGraph(**_scalars(graph.graph))
    plain.add_nodes_from((_name(node), _scalars(data)) for node, data in graph.nodes(data=True))
    plain.add_edges_from((_name(a), _name(b), _scalars(data)) for a, b, data in graph.edges(data=True))
    return "\n".join(nx.generate_graphml(plain, named_key_ids=True))


def _name(node: Any) -> str:
    return ",".join(map(str, node)) if isinstance(node, tuple) else str(node)


def _scalars(data: dict[str, Any]) -> dict[str, str | int | float | bool]:
    return {name: _scalar(value) for name, value in data.items() if value is not None}


def _scalar(value: Any) -> str | int | float | bool:
    if isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return NOT_XML.sub(lambda found: f"⟨{ord(found[0]):02X}⟩", text)


FORMATS = {"graphml": to_graphml, "json": to_json}

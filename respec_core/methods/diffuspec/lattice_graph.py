"""A searched lattice as a networkx graph. No torch."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import networkx as nx

from respec_core.errors import ReSpecError

if TYPE_CHECKING:
    from respec_core.methods.diffuspec.record import Beam, Lattice

Place = tuple[int, int]  # position and rank


def lattice_graph(lattice: Lattice) -> nx.DiGraph:
    """Nodes ``(position, rank)`` with the candidate's record, edges along the searched paths.

    An edge's ``beams`` are the numbers of the paths that take it, 0 the best.

    Raises:
        ReSpecError: if a path takes a token that its position does not offer.
    """
    graph = nx.DiGraph(chosen=lattice.chosen)
    columns: list[dict[int, Place]] = []
    for position in lattice.positions:
        columns.append({})
        for rank, candidate in enumerate(position.cand):
            graph.add_node((position.i, rank), position=position.i, rank=rank, **candidate.model_dump(mode="json"))
            columns[-1].setdefault(candidate.token, (position.i, rank))
    for number, beam in enumerate(lattice.beams):
        for edge in pairwise(_places(number, beam, columns)):
            if edge not in graph.edges:
                graph.add_edge(*edge, beams=[])
            graph.edges[edge]["beams"].append(number)
    return graph


def _places(number: int, beam: Beam, columns: list[dict[int, Place]]) -> list[Place]:
    for i, (token, column) in enumerate(zip(beam.tokens, columns, strict=False)):
        if token not in column:
            raise ReSpecError(f"The lattice's path {number} takes token {token}, which position {i} does not offer.")
    return [column[token] for token, column in zip(beam.tokens, columns, strict=False)]

"""The lattice of a recorded run as a graph."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest

from respec_core.cli import main
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.record import Lattice
from respec_core.methods.traces import read_trace
from respec_core.trace.schema import Run, Step

TRACE = Path(__file__).parents[2] / "assets" / "traces" / "story-diffuspec.json"


@pytest.fixture(scope="module")
def run() -> Run:
    return read_trace(TRACE)


def searched(run: Run) -> list[tuple[Step, Lattice]]:
    return [(step, lattice) for step in run.steps if (lattice := step.record(Lattice))]


def test_every_candidate_is_a_node_and_every_path_can_be_walked(run):
    assert searched(run)
    for step, lattice in searched(run):
        graph = run.graph(step.i, "lattice")
        assert nx.is_directed_acyclic_graph(graph)
        assert len(graph) == sum(len(position.cand) for position in lattice.positions)
        for (i, rank), data in graph.nodes(data=True):
            candidate = lattice.positions[i].cand[rank].model_dump(mode="json")
            assert data == {"position": i, "rank": rank, **candidate}
        assert all(b[0] == a[0] + 1 for a, b in graph.edges)
        for number, beam in enumerate(lattice.beams):
            taken = sorted(edge for edge, beams in nx.get_edge_attributes(graph, "beams").items() if number in beams)
            assert len(taken) == len(beam.tokens) - 1
            assert all(a[1] == b[0] for a, b in pairwise(taken))
            if taken:
                path = [taken[0][0], *(end for _, end in taken)]
                assert tuple(graph.nodes[place]["token"] for place in path) == beam.tokens


def test_it_is_exported(run, capsys):
    step, lattice = searched(run)[0]
    assert main(["export", str(TRACE), "--graph", "graphml", "--part", "lattice", "--round", str(step.i)]) == 0
    assert len(nx.parse_graphml(capsys.readouterr().out)) == sum(len(p.cand) for p in lattice.positions)


def test_a_path_through_what_was_not_offered_is_refused(run):
    _, lattice = searched(run)[0]
    beam = lattice.beams[0].model_copy(update={"tokens": (49151, *lattice.beams[0].tokens[1:])})
    with pytest.raises(ReSpecError, match="path 0 takes token 49151"):
        lattice.model_copy(update={"beams": (beam,)}).graph()


def test_a_record_without_a_graph_is_no_part(run):
    step, _ = searched(run)[0]
    assert "adl" in step.records
    with pytest.raises(ReSpecError, match=r"no part 'adl'; it has: final, .*lattice\."):
        run.graph(step.i, "adl")

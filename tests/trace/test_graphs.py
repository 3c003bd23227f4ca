"""A round's draft as a graph, and the files of it."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from respec_core.errors import ReSpecError
from respec_core.methods.traces import read_trace
from respec_core.trace.graphs import to_graphml, to_json
from respec_core.trace.schema import Run

TRACES = Path(__file__).parents[2] / "assets" / "traces"


@pytest.fixture(scope="module")
def fused() -> Run:
    return read_trace(TRACES / "summary-rasd.json")


def read_graphml(text: str) -> nx.DiGraph:
    return nx.read_graphml(BytesIO(text.encode("utf-8")))


@pytest.mark.parametrize("part", ["final", "drafter", "retrieval"])
def test_a_tree_s_graph_has_every_node_with_its_record(fused, part):
    with_part = [step for step in fused.steps if getattr(step.trees, part)]
    assert with_part
    for step in with_part:
        graph, nodes = fused.graph(step.i, part), getattr(step.trees, part)
        assert nx.is_arborescence(graph)
        assert graph.graph == {"round": step.i, "part": part, "method": "rasd"}
        for node in nodes:
            assert graph.nodes[node.id] == node.model_dump(mode="json", exclude={"id"})
            assert list(graph.predecessors(node.id)) == ([node.parent] if node.id else [])
            assert nx.shortest_path_length(graph, 0, node.id) == node.depth


def test_both_files_read_back_as_the_same_graph(fused):
    graph = fused.graph(1)
    assert nx.utils.graphs_equal(nx.node_link_graph(json.loads(to_json(graph)), edges="edges"), graph)
    back = read_graphml(to_graphml(graph))
    assert set(back.edges) == {(str(a), str(b)) for a, b in graph.edges}
    for node, data in graph.nodes(data=True):
        there = back.nodes[str(node)]
        assert there.keys() == {name for name, value in data.items() if value is not None}
        assert {k: json.loads(v) if isinstance(data[k], list) else v for k, v in there.items()} == {
            name: value for name, value in data.items() if value is not None
        }


@given(st.text(st.characters(), max_size=8))
def test_graphml_carries_any_text_as_well_formed_xml(text):
    graph = nx.DiGraph()
    graph.add_node(0, text=text)
    there = read_graphml(to_graphml(graph)).nodes["0"]["text"]
    assert there == "".join(
        c
        if c in "\t\n" or (c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff")
        else f"⟨{ord(c):02X}⟩"
        for c in text
    )


@pytest.mark.parametrize(
    ("round", "part", "said"),
    [(-1, "final", "There is no round -1"), (999, "final", "rounds 0 to"), (0, "crown", "it has: final")],
)
def test_what_is_not_there_is_said(fused, round, part, said):
    with pytest.raises(ReSpecError, match=said):
        fused.graph(round, part)


def test_a_run_without_rounds_has_no_graph(fused):
    with pytest.raises(ReSpecError, match="the run has no rounds"):
        fused.model_copy(update={"steps": ()}).graph(0)

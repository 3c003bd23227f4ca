"""The draft tree held against a graph library: shape, mask and every edit, on trees of any shape."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from random_trees import trees

from respec_core.engine.tree import DraftTree


def graph(tree: DraftTree) -> nx.DiGraph:
    """The tree with all its data."""
    made = nx.DiGraph()
    for node in range(len(tree)):
        made.add_node(
            node,
            token=tree.tokens[node],
            sources=tree.sources[node],
            draft_p=tree.draft_p[node],
            score=tree.scores[node],
            hits=tree.hits[node],
        )
    made.add_edges_from((parent, node) for node, parent in enumerate(tree.parents) if node)
    return made


def by_text(tree: DraftTree) -> nx.DiGraph:
    """The same with every node called by the tokens from the root down to it, which are its own alone."""
    plain = graph(tree)
    return nx.relabel_nodes(plain, {n: tuple(tree.tokens[i] for i in nx.shortest_path(plain, 0, n)[1:]) for n in plain})


def renumbered(part: nx.DiGraph) -> nx.DiGraph:
    return nx.relabel_nodes(part, {node: i for i, node in enumerate(sorted(part))})


@given(trees())
def test_shape(tree):
    oracle = graph(tree)
    assert nx.is_arborescence(oracle)
    assert dict(enumerate(tree.depths)) == nx.single_source_shortest_path_length(oracle, 0)
    assert [list(kids) for kids in tree.children] == [sorted(oracle.successors(n)) for n in sorted(oracle)]
    assert set(tree.leaves()) == {n for n in oracle if oracle.out_degree(n) == 0}
    for node in oracle:
        assert [0, *tree.path(node)] == nx.shortest_path(oracle, 0, node)
        for kid in oracle.successors(node):
            assert tree.child(node, tree.tokens[kid]) == kid


@given(trees())
def test_a_node_sees_its_ancestors_and_itself(tree):
    closed = nx.transitive_closure(graph(tree), reflexive=True)
    assert np.array_equal(tree.ancestor_mask(), nx.to_numpy_array(closed, nodelist=range(len(tree))).T.astype(bool))


@given(trees(), st.data())
def test_keep_is_the_subgraph_of_the_nodes_and_their_ancestors(tree, data):
    wanted = data.draw(st.sets(st.integers(0, len(tree) - 1)))
    oracle = graph(tree)
    kept = {0}.union(wanted, *(nx.ancestors(oracle, node) for node in wanted))
    assert nx.utils.graphs_equal(graph(tree.keep(wanted)), renumbered(oracle.subgraph(kept)))


@given(trees(), st.integers(0, 8))
def test_limit_depth_is_what_lies_within_that_many_edges(tree, depth):
    within = nx.ego_graph(graph(tree), 0, radius=depth)
    assert nx.utils.graphs_equal(graph(tree.limit_depth(depth)), renumbered(within))


@given(trees(), st.integers(0, 16))
def test_prune_keeps_a_connected_tree_of_the_best(tree, budget):
    oracle, best = graph(tree), tree.best(len(tree))
    assert sorted(best) == list(range(1, len(tree)))
    for count in range(len(best) + 1):
        assert nx.is_arborescence(oracle.subgraph([0, *best[:count]]))
    worst_above = [min(tree.scores[i] for i in nx.shortest_path(oracle, 0, node)) for node in range(len(tree))]
    assert [worst_above[node] for node in best] == sorted(worst_above[1:], reverse=True)
    kept = oracle.subgraph([0, *best[:budget]])
    assert nx.utils.graphs_equal(graph(tree.prune(budget)), renumbered(kept))


@given(trees(), trees())
def test_merge_is_the_composed_graph_with_both_data(ours, theirs):
    merged, a, b = by_text(ours.merge(theirs)), by_text(ours), by_text(theirs)
    composed = nx.compose(a, b)
    assert (set(merged), set(merged.edges)) == (set(composed), set(composed.edges))
    for text, data in merged.nodes(data=True):
        known = [side.nodes[text] for side in (a, b) if text in side]
        assert data["sources"] == frozenset().union(*(one["sources"] for one in known))
        assert data["score"] == max(one["score"] for one in known)
        assert data["draft_p"] == next((one["draft_p"] for one in known if one["draft_p"] is not None), None)
        assert set(data["hits"]) == {hit for one in known for hit in one["hits"]}
        assert len(set(data["hits"])) == len(data["hits"])


@given(trees(), trees())
def test_places_of_finds_the_same_text(ours, theirs):
    named = {text: node for node, text in enumerate(by_text(ours))}
    assert ours.places_of(theirs) == [named.get(text) for text in by_text(theirs)]

"""The draft tree: worked examples, and what is refused (see test_tree_against_networkx.py for shapes and edits)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respec_core.engine.tree import DraftTree

paths = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), max_size=6)


def grow(root: int, branches: list[list[int]], source: str = "model") -> DraftTree:
    tree = DraftTree.root(root)
    for branch in branches:
        tree = tree.merge(DraftTree.chain(root, branch, source))
    return tree


def strings(tree: DraftTree) -> set[tuple[int, ...]]:
    return {tuple(tree.tokens[i] for i in tree.path(n)) for n in range(len(tree))}


@given(paths)
def test_merge_makes_the_trie_of_all_paths(branches):
    tree = grow(9, branches)
    prefixes = {()} | {tuple(b[:i]) for b in branches for i in range(1, len(b) + 1)}
    assert strings(tree) == prefixes
    assert len(tree) == len(prefixes)


def test_rasd_worked_example():
    """A-B-C, A-D fused with A-B-X-Y gives six nodes, A and B from both."""
    a, b, c, d, x, y = range(6)
    fused = grow(9, [[a, b, c], [a, d]]).merge(grow(9, [[a, b, x, y]], "dynamic"))
    assert len(fused) - 1 == 6
    both = {tuple(fused.tokens[i] for i in fused.path(n)) for n in range(len(fused)) if len(fused.sources[n]) == 2}
    assert both == {(a,), (a, b)}


@pytest.mark.parametrize("parents", [(-1, 1), (0, 0), (-1, -1)])
def test_malformed_trees_are_refused(parents):
    with pytest.raises(ValueError, match="root"):
        DraftTree((1, 2), parents, (frozenset(),) * 2, (None,) * 2, (1.0,) * 2, ((),) * 2)


def test_trees_with_other_roots_do_not_merge():
    with pytest.raises(ValueError, match="same root"):
        DraftTree.root(1).merge(DraftTree.root(2))


def test_within_a_vocabulary_a_branch_ends_before_the_first_token_beyond():
    tree = DraftTree.chain(1, [2, 9, 3], "x").merge(DraftTree.chain(1, [4, 5], "x"))
    assert tree.within(10) is tree
    assert tree.within(9).tokens == (1, 2, 4, 5)
    assert tree.within(2).tokens == (1,)

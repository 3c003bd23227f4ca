"""Draft trees of any shape, for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from respec_core.engine.tree import DraftTree

ROOT_TOKEN = 9
NODE = st.tuples(
    st.integers(0, 40),  # its parent, modulo the nodes so far
    st.integers(0, 3),  # its token
    st.sets(st.sampled_from(["model", "dynamic", "static"]), min_size=1),
    st.none() | st.floats(0, 1),
    st.sampled_from([0.1, 0.2, 0.5, 0.9, 1.0]),  # scores tie
    st.lists(st.integers(0, 3), unique=True, max_size=2),
)


@st.composite
def trees(draw: st.DrawFn) -> DraftTree:
    """Any tree of distinct siblings, in any order that has parents first."""
    columns = [(ROOT_TOKEN, -1, frozenset(), None, 1.0, ())]
    for above, token, sources, draft_p, score, hits in draw(st.lists(NODE, max_size=14)):
        parent = above % len(columns)
        if all((token, parent) != column[:2] for column in columns):
            columns.append((token, parent, frozenset(sources), draft_p, score, tuple(hits)))
    return DraftTree(*zip(*columns, strict=True))

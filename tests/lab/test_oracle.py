"""The shortest way over a text, and what a run loses against it."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import COSTS

from respec_core.engine.drafting import Draft
from respec_core.engine.tree import DraftTree
from respec_core.lab.oracle import legs, regret, shortest
from respec_core.lab.replay import Replay, ReplayedRound
from respec_core.lab.survey import Offered, needed
from respec_core.trace.round import Decision


@st.composite
def offered(draw) -> Offered:
    drafted = draw(st.integers(0, 12))
    sizes = draw(st.lists(st.integers(1, max(drafted, 1)), max_size=min(drafted, 6), unique=True).map(sorted))
    kind = draw(st.sampled_from(["model", "retrieval"])) if drafted else "none"
    return Offered(kind, drafted, tuple(sizes), draw(st.sampled_from([0.0, 0.3, 2.0])))


@st.composite
def surveys(draw) -> dict[str, list[Offered]]:
    length = draw(st.integers(1, 12))
    names = ["a", "b"][: draw(st.integers(0, 2))]
    return {"length": length} | {name: [draw(offered()) for _ in range(length)] for name in names}


costs = st.sampled_from([None, COSTS])


@given(surveys(), costs)
def test_the_shortest_way_is_that_of_networkx(survey, costs):
    length = survey.pop("length")
    found = legs(survey, length, costs)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(length + 1))
    for here in found:
        for leg in here:
            known = graph.get_edge_data(leg.start, leg.end, {"weight": leg.cost})["weight"]
            graph.add_edge(leg.start, leg.end, weight=min(known, leg.cost))
    left, path = shortest(found)
    for at in range(length + 1):
        assert left[at] == pytest.approx(nx.shortest_path_length(graph, at, length, weight="weight"))
    assert [leg.start for leg in path] == [0, *(leg.end for leg in path[:-1])]
    assert path[-1].end == length
    assert sum(leg.cost for leg in path) == pytest.approx(left[0])


def round_of(at: int, tokens: int, chosen: str = "model", nodes: int | None = None, ms: float = 0.0) -> ReplayedRound:
    """A round that emits so many tokens of a chain."""
    drafted = [1] * (tokens - 1 if nodes is None else nodes)
    source = "dynamic" if chosen == "retrieval" else "model"
    decision = Decision(chosen=chosen, rule="always", reason="")
    path = tuple(range(1, tokens))
    return ReplayedRound(at, decision, Draft(DraftTree.chain(0, drafted, source)), path, (1,) * tokens, (), ms)


@given(surveys(), st.lists(st.integers(1, 4), min_size=12, max_size=12), costs)
def test_the_losses_of_a_run_add_up_to_its_distance(survey, steps, costs):
    length, at, rounds = survey.pop("length"), 0, []
    for step in steps:
        if at < length:
            rounds.append(round_of(at, min(step, length - at)))
            at += step
    found = regret(Replay(tuple(rounds), "length"), survey, length, costs)
    assert found.best <= found.spent + 1e-9
    assert sum(found.lost.values()) == pytest.approx(found.spent - found.best, abs=1e-6)


def test_an_oracle_may_take_less_than_it_could_to_start_better():
    """From 2 on everything is copied; the longer draft at 0 leads past that."""
    nothing = Offered("none", 0, (), 0.0)
    row = [Offered("model", 2, (1, 2), 0.0), nothing, Offered("retrieval", 7, tuple(range(1, 8)), 0.0)]
    left, path = shortest(legs({"a": [*row, *[nothing] * 7]}, 10, None))
    assert [(leg.end, leg.nodes) for leg in path] == [(2, 1), (10, 7)]
    assert left[0] == 2


@pytest.mark.parametrize(
    ("round", "offer", "costs", "cause"),
    [
        (round_of(0, 1, "retrieval", nodes=4), ("model", (1, 2)), None, "copied in vain"),
        (round_of(0, 1, "model", nodes=4), ("retrieval", (1, 2)), None, "a copy was there"),
        (round_of(0, 2, "model", nodes=1), ("model", (1, 5)), None, "tree too small"),
        (round_of(0, 3, "model", nodes=40), ("model", (1, 2)), COSTS, "tree too large"),
        (round_of(0, 1, "model", nodes=1), ("diffusion", (1, 2)), None, "wrong drafter"),
    ],
)
def test_where_a_round_loses(round, offer, costs, cause):
    kind, sizes = offer
    survey = [Offered(kind, sizes[-1], sizes, 0.0), *[Offered("none", 0, (), 0.0)] * 2]
    rest = [round_of(at, 1, "none") for at in range(len(round.emitted), 3)]
    found = regret(Replay((round, *rest), "length"), {"a": survey}, 3, costs)
    assert next(iter(found.lost)) == cause


def test_nodes_needed_are_those_of_the_best_part_that_holds_them():
    tree = DraftTree.chain(0, [1, 2, 3], "model", scores=[0.9, 0.5, 0.1]).merge(
        DraftTree.chain(0, [4, 5], "model", scores=[0.8, 0.3])
    )
    path = tree.path(tree.tokens.index(3))
    assert needed(tree, path) == (1, 3, 5)

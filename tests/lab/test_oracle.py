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

KINDS = st.sampled_from([frozenset({"model"}), frozenset({"retrieval"}), frozenset({"model", "retrieval"})])


@st.composite
def offered(draw) -> Offered:
    drafted = draw(st.integers(0, 12))
    sizes = draw(st.lists(st.integers(1, max(drafted, 1)), max_size=min(drafted, 6), unique=True).map(sorted))
    by = (draw(KINDS),) * len(sizes)
    return Offered(drafted, tuple(sizes), by, draw(st.sampled_from([0.0, 0.3, 2.0])))


def offer(*sizes: int, by: str = "model") -> Offered:
    """Accepted tokens by the nodes that they need; ``by`` names one drafter, or one for each."""
    each = by.split() * (1 if " " in by else len(sizes))
    return Offered(max(sizes, default=0), sizes, tuple(frozenset(one.split("+")) for one in each), 0.0)


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
    row = [offer(1, 2), offer(), offer(*range(1, 8), by="retrieval")]
    left, path = shortest(legs({"a": [*row, *[offer()] * 7]}, 10, None))
    assert [(leg.end, leg.nodes) for leg in path] == [(2, 1), (10, 7)]
    assert left[0] == 2


def fused(model: int, copied: int, accepted: int = 0, *, copies_accepted: bool = False) -> ReplayedRound:
    """A round at 0 whose tree has a chain of the model's and one of copies."""
    tree = DraftTree.chain(0, [1] * model, "model").merge(DraftTree.chain(0, [2] * copied, "dynamic"))
    token = 2 if copies_accepted else 1
    path = tuple(node for node in range(1, len(tree)) if tree.tokens[node] == token)[:accepted]
    decision = Decision(chosen="fused", rule="entropy", reason="")
    return ReplayedRound(0, decision, Draft(tree), path, (1,) * (accepted + 1), (), 0.0)


def cause_of(round: ReplayedRound, offered: Offered, costs=None) -> str:
    """Why the first of four tokens' rounds lost, where ``offered`` was there."""
    survey = [offered, *[offer()] * 3]
    rest = [round_of(at, 1, "none") for at in range(len(round.emitted), 4)]
    return next(iter(regret(Replay((round, *rest), "length"), {"a": survey}, 4, costs).lost))


@pytest.mark.parametrize(
    ("round", "offered", "costs", "cause"),
    [
        (round_of(0, 1, "retrieval", nodes=4), offer(1, 2), None, "copied in vain"),
        (round_of(0, 1, "model", nodes=4), offer(1, 2, by="retrieval"), None, "a copy was there"),
        (round_of(0, 2, "model", nodes=1), offer(1, 5), None, "tree too small"),
        (round_of(0, 3, "model", nodes=40), offer(1, 2), COSTS, "tree too large"),
        (round_of(0, 1, "model", nodes=1), offer(1, 2, by="diffusion"), None, "wrong drafter"),
        (round_of(0, 2, "model", nodes=9), offer(1, 5), None, "wrong drafter"),
    ],
)
def test_where_a_round_loses(round, offered, costs, cause):
    assert cause_of(round, offered, costs) == cause


@pytest.mark.parametrize(
    ("round", "offered", "costs", "cause"),
    [
        (fused(4, 4, 1), offer(1, 6), None, "copied in vain"),  # the model's nodes had fitted into their room
        (fused(4, 4, 1), offer(1, 9), None, "tree too small"),  # they had not
        (fused(4, 4, 1), offer(1, 3), None, "wrong drafter"),  # they fitted beside them
        (fused(4, 4, 1, copies_accepted=True), offer(1, 6), None, "wrong drafter"),  # nothing was in vain
        (fused(4, 4, 1), offer(1, 3, by="retrieval"), None, "a copy was there"),  # but another one
        (fused(4, 4, 1), offer(1, 3, by="diffusion"), None, "wrong drafter"),
        (fused(2, 30), offer(), COSTS, "copied in vain"),  # most of what was spent too much
        (fused(30, 2), offer(), COSTS, "tree too large"),
        (fused(2, 30, 1), offer(1), COSTS, "copied in vain"),
    ],
)
def test_copies_beside_the_model_s_draft_may_have_been_sent_in_vain(round, offered, costs, cause):
    assert cause_of(round, offered, costs) == cause


@pytest.mark.parametrize(
    ("round", "by", "cause"),
    [
        (round_of(0, 1, "model", nodes=9), "model retrieval", "a copy was there"),
        (round_of(0, 1, "model", nodes=1), "model model+retrieval", "tree too small"),
        (round_of(0, 1, "model", nodes=9), "model diffusion", "wrong drafter"),
        (fused(1, 1), "model retrieval", "tree too small"),
    ],
)
def test_an_offer_of_several_drafters_lacks_what_the_round_had_not(round, by, cause):
    assert cause_of(round, offer(1, 5, by=by)) == cause


def test_nodes_needed_are_those_of_the_best_part_that_holds_them():
    tree = DraftTree.chain(0, [1, 2, 3], "model", scores=[0.9, 0.5, 0.1]).merge(
        DraftTree.chain(0, [4, 5], "model", scores=[0.8, 0.3])
    )
    path = tree.path(tree.tokens.index(3))
    assert needed(tree, path) == (1, 3, 5)

"""Copies, the model, or both: what is weighed, and the tree that both share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respec_core.engine.drafting import Draft
from respec_core.engine.records import Records, walked
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.lineage import Offer, chances, judge
from respec_core.methods.parts.one_tree import likeliest, side_by_side
from respec_core.methods.parts.weighing import Seen, Weighing, best
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.round import Option

FLAT = CostCurve(((1, 10.0), (129, 10.0)))
STEEP = CostCurve(((1, 10.0), (129, 138.0)))  # a millisecond a node
COPY = DraftTree.chain(0, [1, 2, 3, 4], "dynamic", scores=[0.9, 0.8, 0.7, 0.6])


def ways(options) -> dict[str, Option]:
    return {option.way: option for option in options}


def test_copies_are_worth_their_path_scores_and_the_model_its_record():
    weighing = Weighing()
    found = ways(weighing.options(0.1, COPY, 31, None))
    assert found["copies"].tokens == pytest.approx(4.0)
    assert found["model"].tokens == pytest.approx(1 + sum(0.7**n for n in range(1, 7)))
    either = [1 - (1 - p) * (1 - 0.7**n) for n, p in enumerate([0.9, 0.8, 0.7, 0.6, 0.0, 0.0], 1)]
    assert found["both"].tokens == pytest.approx(1 + sum(either))
    assert all(option.ms is None for option in found.values())
    assert ways(weighing.options(0.1, COPY, 2, None))["copies"].tokens == pytest.approx(1 + 0.9 + 0.8)


def test_the_models_record_is_kept_by_entropy():
    weighing = Weighing()
    draft = DraftTree.chain(0, [7, 8, 9], "model")
    for _ in range(20):
        weighing.learn(0.1, (), "model", Seen([7, 8, 9, 5], 3, draft, 4.0))
        weighing.learn(2.0, (), "model", Seen([5], 3, draft, 4.0))
    calm, unsure = (ways(weighing.options(entropy, COPY, 31, None))["model"].tokens for entropy in (0.2, 2.1))
    assert calm > 3.5
    assert unsure < 1.3


def test_time_decides_where_there_is_a_cost_curve():
    """The model brings a little beside good copies: worth its nodes where these are free, not where they are dear."""
    weighing = Weighing()
    draft = DraftTree.chain(0, [7], "model")
    weighing.learn(0.1, (), "both", Seen([1, 2, 3, 4, 5], 30, draft, 20.0))
    weighing.learn(0.1, (), "copies", Seen([1, 2, 3, 4, 5], 4, None, None))
    copies_alone = weighing.options(0.1, COPY, 128, STEEP)
    assert ways(copies_alone)["both"].ms == pytest.approx(10 + 30 + 20)
    assert ways(copies_alone)["copies"].ms == pytest.approx(10 + 4)
    assert best(copies_alone, rate=0.1) == "copies"
    assert best(weighing.options(0.1, COPY, 128, FLAT), rate=0.001) == "both"
    assert best(weighing.options(0.1, COPY, 31, None), rate=None) == "both"


def test_at_a_rate_copies_are_weighed_at_the_size_that_pays():
    """A tree of two hundred copied tokens is no reason to leave the few that are likely."""
    chances = [0.9**n for n in range(1, 201)]
    long = DraftTree.chain(0, list(range(1, 201)), "dynamic", scores=chances)
    weighed = ways(Weighing().options(0.1, long, 128, STEEP, rate=0.2))
    paying = [chance for chance in chances if chance > 0.2]  # a node takes a millisecond
    assert weighed["copies"] == Option(way="copies", tokens=1 + sum(paying), ms=10.0 + len(paying), nodes=len(paying))
    assert weighed["model"].nodes == 8
    assert weighed["both"].nodes == len(paying) + 8
    assert best(weighed.values(), rate=0.2) == "copies"
    whole = ways(Weighing().options(0.1, long, 128, STEEP))["copies"]
    assert (whole.ms, whole.nodes) == (10.0 + 128, None)  # as earlier runs weighed them


def test_copies_none_of_which_pay_bring_the_targets_own_token_alone():
    weighed = ways(Weighing().options(0.1, COPY, 128, STEEP, rate=2.0))
    assert weighed["copies"] == Option(way="copies", tokens=1.0, ms=10.0, nodes=0)


def test_claims_that_did_not_hold_are_trusted_less_but_never_below_one_alone():
    weighing = Weighing()
    claimed = weighing.options(0.1, COPY, 31, None)
    for _ in range(30):
        weighing.learn(0.1, claimed, "both", Seen([5], 31, None, None))
    found = ways(weighing.options(0.1, COPY, 31, None))
    assert found["both"].tokens == max(found["copies"].tokens, found["model"].tokens)


@pytest.mark.parametrize(
    ("emitted", "expected"),
    [([1, 2, 3, 4, 9], (4, 4)), ([1, 2, 9], (2, 3)), ([9], (0, 1)), ([1, 2], (2, 2)), ([], (0, 0))],
)
def test_what_was_written_judges_a_draft_as_far_as_it_goes(emitted, expected):
    assert walked(COPY, emitted) == expected


@given(st.integers(0, 30), st.integers(1, 40))
def test_without_a_record_n_tokens_behind_a_match_of_m_have_m_of_m_plus_n(match, length):
    offer = Offer("dynamic", 5, match, tuple(range(length)), 0.25)
    m = max(match, 1)
    expected = [m / (m + n) for n in range(1, length + 1)] if match else None
    found = chances(Records(), offer, length)
    assert found == sorted(found, reverse=True)
    if expected:
        assert found == pytest.approx(expected)


def test_copies_that_held_are_held_for_likelier():
    records, offer = Records(), Offer("dynamic", 5, 3, (1, 2, 3), 0.25)
    before = chances(records, offer, 3)
    judge(records, [(offer, (1, 2, 3))], [1, 2, 3, 4])
    better = chances(records, offer, 3)
    judge(records, [(offer, (1, 2, 3))], [9])
    judge(records, [(offer, (1, 2, 3))], [9])
    worse = chances(records, offer, 3)
    assert all(a < b for a, b in zip(before, better, strict=True))
    assert all(a < b for a, b in zip(worse, before, strict=True))
    other = Offer("dynamic", 5, 1, (1, 2, 3), 0.25)
    assert chances(records, other, 1) == [0.5]  # another kind of match


def test_one_tree_holds_the_likeliest_nodes_of_both():
    model = DraftTree.grown(
        (0, 1, 7, 8), (-1, 0, 0, 1), "model", draft_p=(None, 0.5, 0.4, 0.6), scores=(1, 0.5, 0.4, 0.3)
    )
    draft = side_by_side(Draft(COPY), Draft(model), nodes=5, sure=1.0)
    assert sorted(draft.tree.scores[1:], reverse=True) == [0.9, 0.8, 0.7, 0.6, 0.4]
    shared = draft.tree.child(0, 1)
    assert draft.tree.sources[shared] == {"dynamic", "model"}
    assert set(draft.parts) == {"drafter", "retrieval"}
    nothing = Draft(DraftTree.root(0))
    assert side_by_side(Draft(COPY), nothing, nodes=2, sure=1.0).tree.tokens == (0, 1, 2)


@pytest.mark.parametrize(("nodes", "sure", "kept"), [(2, 1.0, 2), (2, 0.75, 2), (2, 0.65, 3), (2, 0.1, 4), (9, 1.0, 4)])
def test_what_is_likely_goes_beyond_the_size(nodes, sure, kept):
    assert len(likeliest(COPY, nodes, sure)) - 1 == kept

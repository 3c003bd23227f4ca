"""Lineages: scores that outlive a round, copies that are resumed, and what is chosen of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import StubModel, id_store, one_hot

from respec_core.engine.decoding import Request
from respec_core.methods.parts.lineage import (
    Lineage,
    Offer,
    Trail,
    Tried,
    branch_length,
    choose,
    followed,
    lineage_of,
    moved,
    new_scores,
)
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import violations


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 9), st.integers(1, 20))
def test_a_copy_keeps_its_lineage_while_it_goes_on(written, position, match, tokens):
    here = lineage_of("dynamic", written, position, match)
    assert lineage_of("dynamic", written + tokens, position + tokens, match) == here
    assert lineage_of("dynamic", written + tokens, position, match) != here
    assert lineage_of("static", written, position, match) != here


@pytest.mark.parametrize(
    ("score", "match", "length"),
    [(0.25, 2, 26), (0.1, 2, 26), (0.0, 0, 24), (0.5, 2, 32), (1.0, 2, 64), (0.25, 50, 64)],
)
def test_branches_are_as_long_as_score_or_match_allow(score, match, length):
    assert branch_length(score, match, 64) == length
    assert branch_length(score, match, 5) == 5


@pytest.mark.parametrize(
    ("accepted", "proposed", "after"), [(16, 16, 0.475), (4, 16, 0.475), (2, 16, 0.325), (0, 16, 0.175), (1, 1, 0.475)]
)
def test_four_accepted_tokens_are_a_whole_success(accepted, proposed, after):
    assert moved(0.25, accepted, proposed, 0.3) == pytest.approx(after)


def test_the_best_copy_of_a_lineage_counts():
    tried = [
        Tried("dynamic", 10, 5, 0.25, proposed=8, accepted=0),
        Tried("dynamic", 10, 5, 0.25, proposed=8, accepted=8),
        Tried("dynamic", 10, 1, 0.25, proposed=8, accepted=0),
    ]
    scores = new_scores(tried, written=30, alpha=0.4)
    assert scores == {
        Lineage("dynamic", 20, False): pytest.approx(0.55),
        Lineage("dynamic", 20, True): pytest.approx(0.15),
    }
    assert new_scores(tried[::-1], 30, 0.4) == scores


def test_a_trail_follows_the_best_copy_and_ages_without_one():
    good = Tried("dynamic", 10, 5, 0.25, proposed=8, accepted=3)
    better = Tried("static", 90, 5, 0.25, proposed=8, accepted=5)
    poor = Tried("dynamic", 40, 5, 0.25, proposed=8, accepted=2)
    assert followed(None, [], 1) is None
    assert followed(None, [poor], 3) is None
    assert followed(None, [good, poor], 4) == Trail("dynamic", 14)
    trail = followed(None, [better, good], 6)
    assert trail == Trail("static", 96)
    assert followed(trail, [poor], 3) == Trail("static", 99, age=3)
    assert followed(followed(trail, [poor], 3), [good], 4) == Trail("dynamic", 14)


def test_a_deviated_copy_is_resumed_around_where_it_would_stand():
    source = [9, 1, 2, 3, 4, 5, 6, 7, 8]
    at = dict(enumerate(source)).get
    trail = Trail("dynamic", 5)  # source[4] = 4 stands where the text has its newest token
    assert list(trail.resumes(4, at, [])) == [5]  # the copy's own place, and no other behind a 4
    assert list(trail.resumes(3, at, [])) == [4, 5]  # a token was left out: one place back, then its own
    assert list(trail.resumes(6, at, [])) == [7, 5]  # or put in
    assert list(trail.resumes(0, at, [])) == [5]  # a token replaced: its own, without any match
    assert list(trail.resumes(3, at, [4])) == [5]  # found by suffix anyway
    assert list(Trail("dynamic", 40).resumes(3, at, [])) == []  # behind the end
    assert list(Trail("dynamic", 1).resumes(9, at, [])) == [1]  # nothing stands before place 1 but place 0's token


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=30),
    st.integers(0, 3),
    st.integers(-2, 35),
    st.sets(st.integers(0, 30)),
)
def test_resumes_are_two_free_places_within_reach(source, last, position, taken):
    found = list(Trail("dynamic", position).resumes(last, dict(enumerate(source)).get, taken))
    assert len(found) <= 2
    assert len(set(found)) == len(found)
    for place in found:
        assert 0 < place < len(source)
        assert place not in taken
        assert place == position or (abs(place - position) <= 4 and source[place - 1] == last)


def offer(score: float, match: int, position: int, *tokens: int, **more) -> Offer:
    return Offer("dynamic", position, match, tokens, score, **more)


def test_scores_filter_only_what_no_match_speaks_for():
    offers = [offer(0.1, 2, 9, 5, 6), offer(0.1, 1, 8, 6, 7, resumed=True), offer(0.25, 0, 7, 7, 8, resumed=True)]
    statuses = [choice.status for choice in choose(offers, 64, 3, 0.25)]
    assert statuses == ["kept", "score_filtered", "kept"]


def test_the_best_distinct_branches_are_kept():
    offers = [offer(0.3, 2, 9, 5, 6, 7), offer(0.3, 2, 8, 5, 6), offer(0.3, 2, 7, 5, 7), offer(0.3, 2, 6, 5, 8)]
    choices = list(choose(offers, 64, 2, 0.25))
    assert [choice.status for choice in choices] == ["kept", "cap_filtered", "kept", "cap_filtered"]
    assert "same tokens" in choices[1].why
    assert [choice.branch for choice in choices] == [(5, 6, 7), (), (5, 7), ()]


def test_score_ranks_before_match_own_text_and_age():
    ranked = [
        offer(0.5, 2, 3),
        offer(0.3, 9, 3),
        offer(0.3, 2, 8),
        offer(0.3, 2, 3),
        Offer("static", 99, 2, (), 0.3),
    ]
    backwards = ranked[::-1]
    assert sorted(backwards, key=lambda one: one.rank) == ranked


# a text of 40 different tokens, and a target that copies it but for every tenth token, which it says otherwise
TEXT = tuple(range(10, 50))


def deviating(ids) -> list[float]:
    done = len(ids) - len(TEXT)
    return one_hot(done % 8 if done % 10 == 9 else TEXT[done % len(TEXT)], size=64)


def deviations(models: Models | None = None, prompt=TEXT, **values):
    models = models or Models(StubModel(deviating, vocab_size=64))
    values = {"fallback": "none", "budget": "own", "max_new_tokens": 39} | values
    return complete(Request(find_method("respec-strict").configure(values), prompt), models)


def test_a_copy_that_deviated_is_resumed_at_once_and_brings_its_tokens():
    with_resumes, without = deviations(), deviations(resume_window=0)
    assert with_resumes.output_ids == without.output_ids
    assert violations(with_resumes) == []
    assert violations(without) == []
    brought = [hit for step in with_resumes.steps for hit in step.retrieval if hit.resumed and hit.accepted]
    assert brought
    assert {hit.lineage for hit in brought} == {len(TEXT)}
    assert with_resumes.summary.steps < without.summary.steps
    assert not any(hit.resumed for step in without.steps for hit in step.retrieval)


def test_a_copy_from_a_store_is_resumed_too():
    def copying(ids) -> list[float]:
        done = len(ids) - 3
        return one_hot(5 if done % 10 == 9 else 13 + done, size=64)

    models = Models(StubModel(copying, vocab_size=64), id_store(list(range(10, 60)), vocabulary=64))
    run = deviations(models, (10, 11, 12), max_new_tokens=36)
    brought = [hit for step in run.steps for hit in step.retrieval if hit.resumed and hit.accepted]
    assert {hit.corpus for hit in brought} == {"static"}
    assert violations(run) == []


def scores(run) -> list[float]:
    return [hit.score_before for step in run.steps for hit in step.retrieval]


def test_feedback_is_one_switch():
    on, off = deviations(), deviations(feedback=False)
    assert len(set(scores(on))) > 1
    assert set(scores(off)) == {0.25}
    assert any(hit.resumed for step in on.steps for hit in step.retrieval)
    assert not any(hit.resumed for step in off.steps for hit in step.retrieval)
    assert all(hit.score_after is None for step in off.steps for hit in step.retrieval)
    assert violations(off) == []


def test_a_lineage_carries_its_score_from_round_to_round():
    run = deviations(max_draft=4)
    known: dict[tuple[int, bool], float] = {}
    carried = 0
    for step in run.steps:
        for hit in step.retrieval:
            key = (hit.lineage, hit.match_len < 2)
            carried += key in known
            assert hit.score_before == pytest.approx(known.get(key, 0.25))
        for hit in step.retrieval:
            if hit.score_after is not None:
                known[hit.lineage, hit.match_len < 2] = hit.score_after
    assert carried > 3


@pytest.mark.parametrize(
    "values", [{"scored_by": "position"}, {"switch": "gate"}, {"normalised": True}, {"all_nodes": 5, "sure": 1.0}]
)
def test_every_rule_is_sound_and_lossless(values):
    run = deviations(**values)
    assert violations(run) == []
    assert run.output_ids == deviations().output_ids
    if "all_nodes" in values:
        assert max(len(step.trees.final) for step in run.steps) == 5

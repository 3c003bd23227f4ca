"""SuffixDecoding: counts against a suffix tree written out plainly, and the choice among matches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import StubModel, id_store, one_hot

from respec_core.engine.decoding import Request
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.suffix.counting import CountedDraft, grow_path, grow_tree
from respec_core.methods.suffix.places import OwnText
from respec_core.methods.suffix.record import SuffixChoice
from respec_core.methods.suffix.stored import stored_places
from respec_core.methods.traces import violations

texts = st.lists(st.integers(0, 3), min_size=1, max_size=40)


def count_in(text: list[int], part: list[int]) -> int:
    """How often ``part`` occurs: the count of its node in a suffix tree of all of ``text``."""
    return sum(text[i : i + len(part)] == part for i in range(len(text) - len(part) + 1))


@given(texts, st.integers(1, 12))
def test_places_are_all_occurrences_of_every_match_from_the_shortest_on(text, longest):
    own = OwnText()
    own.read(text)
    found = [*own.places(longest)]
    for places in found:
        for match in range(places.shortest, places.match_len + 1):
            here = text[-match:]
            assert places.count == count_in(text, here)
            assert sorted(places.ends) == [i + match for i in range(len(text) - match) if text[i : i + match] == here]
    lengths = [m for places in found for m in range(places.shortest, places.match_len + 1)]
    elsewhere = [m for m in range(1, min(longest, len(text)) + 1) if count_in(text, text[-m:]) > 1]
    assert lengths == elsewhere


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), texts, st.integers(1, 8))
def test_a_store_has_the_same_places(document, context, longest):
    store = id_store(document)
    found = [*stored_places(store, context, longest)]
    for places in found:
        assert places.count == count_in(document, context[-places.match_len :])
        stored = [-1, *document]  # a store begins with a separator
        assert {tuple(stored[end - places.match_len : end]) for end in places.ends} == {
            tuple(context[-places.match_len :])
        }
    lengths = sorted(m for places in found for m in range(places.shortest, places.match_len + 1))
    assert lengths == [m for m in range(1, min(longest, len(context)) + 1) if count_in(document, context[-m:])]


@given(texts, st.integers(1, 8), st.sampled_from([0.0, 0.1, 0.3, 0.5]), st.sampled_from([grow_path, grow_tree]))
def test_a_token_s_probability_is_the_quotient_of_two_counts(text, limit, least, grow):
    own = OwnText()
    own.read(text)
    for places in own.places(16):
        rows = [text[end : end + limit] for end in places.ends]
        grown = grow(rows, places.count, limit, least)
        match = text[-places.match_len :]
        for i, share in enumerate(grown.shares):
            draft = drafted_to(grown, i)
            assert share == pytest.approx(count_in(text, match + draft) / count_in(text, match))
            assert share >= least
        assert len(grown.tokens) <= limit
        assert grown.score == pytest.approx(sum(grown.shares))


@given(texts, st.integers(1, 8))
def test_a_tree_holds_the_likeliest_and_so_scores_no_less_than_a_path(text, limit):
    own = OwnText()
    own.read(text)
    for places in own.places(16):
        rows = [text[end : end + limit] for end in places.ends]
        path, tree = (grow(rows, places.count, limit, 0.1) for grow in (grow_path, grow_tree))
        assert tree.score >= path.score - 1e-9
        assert [*tree.shares] == sorted(tree.shares, reverse=True)


def drafted_to(grown: CountedDraft, node: int) -> list[int]:
    """Tokens from below the match down to ``node``."""
    path: list[int] = []
    while node >= 0:
        path.insert(0, grown.tokens[node])
        node = grown.parents[node]
    return path


def run_on(text: list[int], prompt: int, store=None, **values):
    """A run whose target writes ``text`` behind its first ``prompt`` tokens."""
    target = StubModel(lambda ids: one_hot(text[len(ids)] if len(ids) < len(text) else 0))
    values = {"max_new_tokens": len(text) - prompt, "budget": "own"} | values
    config = find_method("suffix").configure(values)
    run = complete(Request(config, tuple(text[:prompt])), Models(target, *([] if store is None else [store])))
    assert run.output_ids == tuple(text[prompt:])
    assert violations(run) == []
    return run


def test_the_longer_match_loses_where_the_shorter_went_on_the_same_way_more_often():
    # 7 8 went on with 1 2 five times of eight; 6 7 8 stood three times, and never went on the same way
    prompt = [7, 8, 1, 2, 3] * 5 + [6, 7, 8, 11, 12, 13, 6, 7, 8, 14, 15, 10, 6, 7, 8]
    choice = run_on([*prompt, 1, 2, 3, 4], len(prompt)).steps[0].record(SuffixChoice)
    best, longest = choice.matches[choice.chosen], choice.matches[0]
    assert (longest.match_len, longest.places, longest.drafted) == (3, 3, 3)
    assert longest.score == pytest.approx(3 / 3)
    assert (best.match_len, best.places, best.drafted) == (2, 8, 2)
    assert best.score == pytest.approx(2 * 5 / 8)


@pytest.mark.parametrize(("factor", "offset", "drafted"), [(1.0, 0.0, 3), (2.0, 0.0, 6), (0.5, 0.0, 1), (1.0, 2.0, 5)])
def test_a_draft_is_as_long_as_its_match_allows(factor, offset, drafted):
    match = [10, 11, 12]
    prompt = [*match, *range(1, 10), *match]
    run = run_on([*prompt, *range(1, 10), 0, 0], len(prompt), spec_factor=factor, spec_offset=offset)
    choice = run.steps[0].record(SuffixChoice)
    assert (choice.matches[0].allowed, choice.matches[0].drafted, choice.matches[0].places) == (drafted, drafted, 2)
    assert run.steps[0].commit.n_accepted == drafted


def test_a_token_that_never_stood_before_drafts_nothing():
    run = run_on([1, 2, 3, 4, 5, 6], 3)
    assert [step.record(SuffixChoice).chosen for step in run.steps] == [None, None, None]


def test_the_store_is_taken_where_it_promises_more_and_the_own_text_on_ties():
    prompt = [9, 1, 2, 3, 4, 9, 1, 2]
    stored = id_store([9, 1, 2, 7, 7], [9, 1, 2, 7, 7], vocabulary=16)
    choice = run_on([*prompt, 7, 7], len(prompt), stored).steps[0].record(SuffixChoice)
    assert choice.matches[choice.chosen].source == "static"  # all went on so there, half of the places here
    unsure = id_store([9, 1, 2, 3, 4], [9, 1, 2, 5, 5], vocabulary=16)
    choice = run_on([*prompt, 3, 4], len(prompt), unsure).steps[0].record(SuffixChoice)
    assert choice.matches[choice.chosen].source == "dynamic"


def test_a_full_context_bounds_what_the_store_alone_may_draft():
    text = [1, 2, 3, 4, 5, 6, 7, 8]
    target = StubModel(lambda ids: one_hot(text[len(ids) % len(text)]))
    target.max_context = len(text)
    config = find_method("suffix").configure({"max_new_tokens": 40, "budget": "own", "spec_offset": 64.0})
    run = complete(Request(config, tuple(text[:3])), Models(target, id_store([9, 3, *range(4, 15)], vocabulary=16)))
    (match,) = run.steps[0].record(SuffixChoice).matches
    assert (run.finish_reason, match.source, match.allowed) == ("context", "static", len(text) - 3 - 1)
    assert violations(run) == []


def test_a_changed_record_is_found_out():
    prompt = [9, 1, 2, 3, 4, 9, 1, 2]
    run = run_on([*prompt, 3, 4, 5, 6], len(prompt))
    step = run.steps[0]
    choice = step.record(SuffixChoice)
    for wrong in (
        choice.model_copy(update={"chosen": None}),
        choice.model_copy(update={"chosen": 5}),
        choice.model_copy(update={"matches": tuple(m.model_copy(update={"drafted": 0}) for m in choice.matches)}),
        choice.model_copy(update={"matches": tuple(m.model_copy(update={"places": 1}) for m in choice.matches)}),
    ):
        forged = step.model_copy(update={"records": {**step.records, "suffix": wrong}})
        assert violations(replace_step(run, forged)), wrong


def replace_step(run, step):
    """``run`` with its first step replaced."""
    return run.model_copy(update={"steps": (step, *run.steps[1:])})

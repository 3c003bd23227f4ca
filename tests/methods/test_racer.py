"""RACER: its automaton against a search through all n-grams, its ranking against all texts, and its record."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import StubModel, one_hot

from respec_core.engine.decoding import Request
from respec_core.methods.racer.automaton import Automaton
from respec_core.methods.racer.ranking import continued, logits_levels, logits_template, narrowing
from respec_core.methods.racer.record import RacerBudget
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import violations

texts = st.lists(st.integers(0, 3), min_size=1, max_size=40)
ngrams = st.integers(2, 6)


def windows_of(text: list[int], ngram: int) -> list[list[int]]:
    return [text[start : start + ngram] for start in range(len(text) - ngram + 1)]


def path_of(state) -> tuple[int, ...]:
    return tuple(one.token for one in reversed([*state.upwards()]))


@given(texts, ngrams, st.integers(1, 4))
def test_borders_are_all_ends_of_the_text_that_begin_an_n_gram(text, ngram, shortest):
    automaton = Automaton(ngram, 10_000)
    automaton.follow(text[:-1])
    seen = windows_of(text[:-1], ngram)
    expected = []
    for length in range(min(ngram, len(text)), shortest - 1, -1):
        here = text[-length:]
        if times := sum(window[:length] == here for window in seen):
            expected.append((tuple(here), times))
    found = automaton.borders(text, shortest)
    assert [(path_of(state), state.windows) for state in found] == expected
    for state in found:
        assert text[state.end - state.depth : state.end] == [*path_of(state)]


@given(texts, ngrams, st.integers(8, 20))
def test_what_is_forgotten_is_the_least_recently_used_leaf(text, ngram, most):
    automaton, order = Automaton(ngram, most), dict[tuple[int, ...], None]()

    def use(path):
        for depth in range(len(path), 0, -1):
            order.pop(path[:depth], None)
            order[path[:depth]] = None

    forgotten = 0
    for end in range(1, len(text) + 1):
        automaton.follow(text[:end])
        if end >= ngram:
            use(tuple(text[end - ngram : end]))
            while len(order) > most:
                oldest = next(iter(order))
                assert not any(path[: len(oldest)] == oldest for path in order if path != oldest)
                del order[oldest]
                forgotten += 1
        for state in automaton.borders(text[:end], 1)[:1]:
            automaton.touch(state)
            use(path_of(state))
        assert {path_of(state) for state in automaton._by_age} == set(order)
    assert automaton.forgotten == forgotten


@given(texts, ngrams, st.integers(1, 12), st.integers(0, 5))
def test_the_most_frequent_texts_behind_all_borders_are_drafted(text, ngram, most, deepest):
    automaton = Automaton(ngram, 10_000)
    automaton.follow(text[:-1])
    borders = automaton.borders(text, 1)
    times: dict[tuple[int, ...], int] = {}
    for border in borders:
        here = list(path_of(border))
        for depth in range(1, min(deepest, ngram - len(here)) + 1):
            behind = [
                tuple(w[len(here) : len(here) + depth]) for w in windows_of(text[:-1], ngram) if w[: len(here)] == here
            ]
            for tail in set(behind):
                times[tail] = max(times.get(tail, 0), behind.count(tail))
    grown = continued(borders, most, deepest)
    paths: list[tuple[int, ...]] = []
    for one in grown:
        paths.append((*(paths[one.parent] if one.parent >= 0 else ()), one.token))
        assert times[paths[-1]] == one.windows
        assert 0 < one.share <= (grown[one.parent].share if one.parent >= 0 else 1)
    assert len(set(paths)) == len(paths) == min(most, len(times))
    best = sorted((-n, len(tail)) for tail, n in times.items())[:most]
    assert [(-one.windows, one.depth) for one in grown] == best


def test_later_siblings_are_ever_narrower():
    assert [*narrowing(8, 0)] == [8, 4, 2, 1, 1, 1, 1, 1]
    assert [*narrowing(8, 1)] == [4, 2, 1, 1, 1, 1, 1, 1]
    assert [*narrowing(4, 1)] == [2, 1, 1, 1]
    assert [*narrowing(1, 5)] == [1]
    assert logits_levels(63, 8) == (8, 19, 24, 12)
    assert [parent for parent, _, _ in logits_template(4, 2)] == [0, 0, 1, 1]
    assert logits_template(9, 0) == logits_template(0, 8) == ()


def run_on(text: list[int], prompt: int, method: str = "racer", **values):
    """A run whose target writes ``text`` behind its first ``prompt`` tokens."""
    target = StubModel(lambda ids: one_hot(text[len(ids)] if len(ids) < len(text) else 0))
    values = {"max_new_tokens": len(text) - prompt, "budget": "own"} | values
    run = complete(Request(find_method(method).configure(values), tuple(text[:prompt])), Models(target))
    assert run.output_ids == tuple(text[prompt:])
    assert violations(run) == []
    return run


def test_the_budget_goes_to_n_grams_first_and_to_remembered_successors_for_the_rest():
    prompt = [7, 8, 1, 2] * 2 + [9, 8, 1, 3] + [7, 8]
    step = run_on([*prompt, 1, 2, 7, 8, 1, 2], len(prompt), ngram=4).steps[0]
    told = step.record(RacerBudget)
    # 7 8 begins two n-grams, both 7 8 1 2; 8 alone begins three, and is too short
    assert [(border.match_len, border.windows) for border in told.borders] == [(2, 2)]
    copied = [(node.token, node.path_score) for node in step.trees.retrieval[1:]]
    assert copied == [(1, 1.0), (2, 1.0)]
    # 8 was followed by 1 alone; 1 by 3, and before that by 2; 3 by 7; 2 by 9 and 7; 7 and 9 by 8
    assert [node.token for node in step.trees.drafter[1:]] == [1, 3, 2, 7, 9, 7, 8, 8, 8]
    assert (told.retrieved, told.from_logits, told.shared) == (2, 9, 2)
    assert step.commit.n_accepted == 4
    assert step.trees.final[step.commit.path_node_ids[0]].sources == ("dynamic", "logits")


def test_shorter_ends_have_a_say_too_and_the_most_frequent_text_is_first():
    # 6 7 8 stood once, before 4; 7 8 four times, three of them before 5
    prompt = [6, 7, 8, 4, 0, 7, 8, 5, 0, 7, 8, 5, 1, 7, 8, 5, 2, 3, 6, 7, 8]
    step = run_on([*prompt, 5, 2, 3, 6], len(prompt), ngram=4, total_nodes=4, max_breadth=0).steps[0]
    told = step.record(RacerBudget)
    assert [(border.match_len, border.windows, border.sent) for border in told.borders] == [(3, 1, 1), (2, 4, 3)]
    assert [(node.token, node.path_score) for node in step.trees.final[1:]] == [(5, 0.75), (4, 1.0), (2, 0.25)]
    assert step.decision.chosen == "retrieval"
    assert {hit.match_len for hit in step.retrieval} == {2, 3}


def test_the_targets_second_choices_fill_the_next_draft():
    """What was written once behind 5 is not what the target now ranks second there."""
    target = StubModel(lambda ids: [0.0 if i == ids[-1] else float(8 - (i - ids[-1]) % 16) for i in range(16)])
    config = find_method("racer").configure({"max_new_tokens": 24, "budget": "own"})
    run = complete(Request(config, (5, 9, 3)), Models(target))
    assert violations(run) == []
    guessed = []
    for nodes in (step.trees.drafter or step.trees.final for step in run.steps):
        below = [node.token for node in nodes if node.parent == 0 and "logits" in node.sources]
        guessed.append(below == [(nodes[0].token + i) % 16 for i in range(1, 9)])
    assert any(guessed)


@pytest.mark.parametrize("values", [{}, {"max_breadth": 0}, {"max_states": 64, "ngram": 5}])
def test_a_changed_record_is_found_out(values):
    prompt = [9, 1, 2, 3, 4, 9, 1, 2, 5, 6, 7, 9, 1, 2] * 3
    run = run_on([*prompt, 3, 4, 5, 6], len(prompt), **values)
    step = run.steps[0]
    told = step.record(RacerBudget)
    assert told.borders and told.retrieved
    wrong = [
        told.model_copy(update={name: getattr(told, name) + 1}) for name in type(told).model_fields if name != "borders"
    ]
    for name in ("match_len", "windows", "idle", "sent"):
        first = told.borders[0]
        changed = first.model_copy(update={name: getattr(first, name) + 1})
        wrong.append(told.model_copy(update={"borders": (changed, *told.borders[1:])}))
    for record in wrong:
        forged = step.model_copy(update={"records": {**step.records, "racer": record}})
        assert violations(run.model_copy(update={"steps": (forged, *run.steps[1:])})), record


def test_successors_that_the_target_did_not_name_are_found_out():
    run = run_on([5, 9, 3, *range(1, 9)], 3)
    step = next(step for step in run.steps if step.trees.drafter is None and len(step.trees.final) > 2)
    nodes = step.trees.final
    swapped = (*nodes[:1], *(node.model_copy(update={"token": 15 - node.token}) for node in nodes[1:]))
    forged = step.model_copy(update={"trees": step.trees.model_copy(update={"final": swapped})})
    said = violations(run.model_copy(update={"steps": tuple(forged if s is step else s for s in run.steps)}))
    assert any("is not successor" in problem for problem in said)

"""Drafts that cost time rest while they do not pay: an account of what they won, and when it is looked at again."""

from __future__ import annotations

from itertools import pairwise
from math import log2

from hypothesis import given
from hypothesis import strategies as st

from respec_core.engine.patience import CREDIT, FIRST_REST, FORESEEN, LONGEST_REST, SLACK, Patience

won = st.floats(-3, 5)
histories = st.lists(won, max_size=60)


def after(history: list[float]) -> Patience:
    """Rounds in turn; one that rests brings nothing."""
    patience = Patience()
    for tokens in history:
        if patience.resting:
            patience.rested()
        else:
            patience.asked(tokens)
    return patience


def rest_of(patience: Patience) -> int:
    """Rounds until it is asked again."""
    rounds = 0
    while patience.resting:
        patience.rested()
        rounds += 1
    return rounds


@given(st.lists(st.floats(0, 5), max_size=200))
def test_what_pays_never_rests(history):
    patience = Patience()
    for tokens in history:
        patience.asked(tokens)
        assert not patience.resting


@given(histories)
def test_what_rests_is_always_tried_again(history):
    assert rest_of(after(history)) <= LONGEST_REST


@given(st.floats(0.05, 3))
def test_what_goes_on_losing_rests_for_twice_as_long_each_time(loss):
    patience, rests = Patience(), []
    for _ in range(300):
        patience.asked(-loss)
        if patience.resting:
            rests.append(rest_of(patience))
    assert rests[0] == FIRST_REST and rests[-1] == LONGEST_REST
    assert all(later == min(2 * rest, LONGEST_REST) for rest, later in pairwise(rests))


@given(histories, st.floats(0.1, 3))
def test_the_past_is_forgotten_where_it_pays_again(history, gain):
    """However it lost: then it is as patient as with an account that never lost."""
    patience = after(history)
    rest_of(patience)
    for _ in range(80):
        patience.asked(gain)
        assert not patience.resting
    assert patience.balance > 0
    while not patience.resting:
        patience.asked(-1.0)
    assert rest_of(patience) == FIRST_REST


@given(st.floats(0.03, 3), st.integers(1, 500))
def test_what_always_loses_costs_the_slack_and_a_round_for_every_try(loss, rounds):
    patience, lost = Patience(), 0.0
    for _ in range(rounds):
        if patience.resting:
            patience.rested()
        else:
            patience.asked(-loss)
            lost += loss
    tries = 1 + log2(LONGEST_REST / FIRST_REST) + rounds / (LONGEST_REST + 1)
    assert lost <= 1.5 * SLACK + loss * (1 + tries)


@given(histories, st.floats(-3, 5))
def test_the_account_stays_between_slack_and_credit(history, tokens):
    patience = after(history)
    rest_of(patience)
    patience.asked(tokens)
    assert -SLACK <= patience.balance <= CREDIT


@given(histories, st.lists(st.booleans(), max_size=40))
def test_a_rest_ends_where_what_was_left_out_was_right_several_times_in_a_row(history, right):
    patience = after([*history, *[-3.0] * (LONGEST_REST + 2)])
    while not patience.resting:
        patience.asked(-3.0)
    in_a_row = 0
    for foreseen in right:
        if not patience.resting:
            break
        patience.rested(foreseen=foreseen)
        in_a_row = in_a_row + 1 if foreseen else 0
        if in_a_row == FORESEEN:
            assert not patience.resting


def test_a_credit_is_lost_before_anything_rests():
    patience = Patience(1.0)
    patience.asked(-1.5)
    assert not patience.resting
    patience.asked(-0.5)
    assert patience.resting

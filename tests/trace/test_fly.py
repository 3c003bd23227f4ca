"""FLy's rule on mask strips (arXiv 2511.22972), worked by hand and against the authors' formulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from respec_core.trace.fly import Strip, top_entropy


def strip(marks: str) -> Strip:
    """✓ agrees, ✗ does not, ■ agrees with an end of text or special token, □ a mismatch at one."""
    return Strip(tuple(m in "✓■" for m in marks), tuple(m in "■□" for m in marks))


@pytest.mark.parametrize(
    ("marks", "window", "accepted"),
    [
        ("✓✓✗✓✓✓✓✓✓", 5, 9),  # five agree behind the mismatch
        ("✗✓✓✓✓✓", 5, 6),  # the authors' win_len 6: the mismatch and five more
        ("✗✓✓✓✓✓", 6, 0),  # vLLM's window 6: one more has to follow
        ("✗✓✓✓✓✓✓", 6, 7),
        ("✓✓✗✓✓✓✓", 5, 2),  # the draft ends before the window is full
        ("✓✗✓✓✗✓✓✓✓✓", 5, 1),  # another mismatch within the window
        ("✗✓✓✗✓✓", 2, 6),  # two, each with its own window
        ("✗✓✓✗✓", 2, 3),  # the second has not
        ("✗✗✓✓✓✓✓✓", 5, 0),  # two in a row: the first is not followed
        ("✓✓✓", 5, 3),
        ("", 5, 0),
        ("✗✓✓■✓✓", 5, 0),  # not across an end of text
        ("□✓✓✓✓✓", 5, 0),  # nor in its place
        ("■✗✓✓✓✓✓", 5, 7),  # before the mismatch it does not matter
    ],
)
def test_accepted_lengths(marks, window, accepted):
    assert strip(marks).accepted(window, lambda i: True) == accepted


def test_the_gate_rejects_whatever_follows():
    sure = strip("✓✗✓✓✓✓✓✗✓✓✓✓✓")
    assert sure.accepted(5, {1: True, 7: True}.__getitem__) == 13
    assert sure.accepted(5, {1: False, 7: True}.__getitem__) == 1
    assert sure.accepted(5, {1: True, 7: False}.__getitem__) == 7


def test_the_gate_is_asked_of_deferred_mismatches_alone():
    asked = []
    strip("✓✗✓✓✗✗").accepted(2, lambda i: asked.append(i) or True)
    assert asked == [1]


@given(st.lists(st.booleans(), max_size=30), st.integers(1, 7))
def test_the_mask_is_the_authors_window_over_the_unfolded_one(mask, window):
    """Their pattern of one mismatch and ``win_len − 1`` matches, slid over the mask at once; then the prefix."""
    win_len, updated = window + 1, np.array(mask, dtype=bool)
    if len(mask) >= win_len:
        windows = np.lib.stride_tricks.sliding_window_view(np.array(mask), win_len)
        passed = (windows == np.array([False] + [True] * window)).all(-1)
        updated[: len(passed)] |= passed
    expected = len(mask) if updated.all() else int(updated.argmin())
    assert Strip(tuple(mask), (False,) * len(mask)).accepted(window, lambda i: True) == expected


@given(st.lists(st.booleans(), max_size=20), st.integers(1, 6))
def test_wider_windows_accept_no_more(mask, window):
    one = Strip(tuple(mask), (False,) * len(mask))
    strict = one.accepted(window, lambda i: False)
    assert strict <= one.accepted(window + 1, lambda i: True) <= one.accepted(window, lambda i: True)


def test_top_entropy():
    assert top_entropy([1.0, 0.0, 0.0]) == 0
    assert top_entropy([0.5, 0.5]) == pytest.approx(math.log(2))
    assert top_entropy([0.9, 0.05, 0.03]) == pytest.approx(0.3498, abs=1e-4)  # not made to sum to 1

"""When a text loops, and when it only repeats a little."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respec_core.trace.repetition import CYCLES, SHORTEST, Loop, find_loop

WORDS = tuple(range(100, 140))  # no token twice


@pytest.mark.parametrize(
    ("ids", "loop"),
    [
        ((), None),
        (WORDS, None),
        ((1, 2, 3) * 3, None),  # nine tokens are too few to tell
        ((1, 2, 3) * 4, Loop(0, 12, 3)),
        ((7,) * 30, Loop(0, 30, 1)),
        ((*WORDS[:10], *(1, 2, 3, 4) * 5, 1, 2), Loop(10, 22, 4)),  # the last time in part
        ((*(1, 2, 3) * 10, *WORDS[:5]), Loop(0, 30, 3)),  # also where an end follows
        ((*WORDS, *(1, 2, 3) * 5), None),  # 15 of 55 tokens
        ((*WORDS[:20], *WORDS[:20]), None),  # twice is no loop
        ((*WORDS[:20],) * 3, Loop(0, 60, 20)),
        ((1, 1, 2) * 12, Loop(0, 36, 3)),
    ],
)
def test_known_texts(ids, loop):
    assert find_loop(ids) == loop


@given(st.lists(st.integers(0, 3), max_size=60))
def test_what_is_found_is_a_loop_and_the_longest(ids):
    found = find_loop(ids)
    needed = max(SHORTEST, len(ids) / 3)

    def is_loop(start: int, length: int, period: int) -> bool:
        part = ids[start : start + length]
        return len(part) == length and all(part[i] == part[i - period] for i in range(period, length))

    if found is not None:
        assert is_loop(found.start, found.length, found.period)
        assert found.cycles >= CYCLES and found.length >= needed
    longest = 0 if found is None else found.length
    for period in range(1, len(ids) // CYCLES + 1):
        length = int(max(longest + 1, needed, CYCLES * period) + 0.999)
        assert not any(is_loop(start, length, period) for start in range(len(ids) - length + 1))

"""The automaton and its cursor against brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from respec_core.retrieval.suffix_automaton import SuffixAutomaton, SuffixCursor

texts = st.lists(st.integers(0, 2), max_size=40)


def occurrences(text: list[int], pattern: list[int]) -> list[int]:
    n = len(pattern)
    return [i + n - 1 for i in range(len(text) - n + 1) if text[i : i + n] == pattern]


def longest_earlier(text: list[int]) -> tuple[int, list[int]]:
    """Length of the longest suffix of ``text`` that also ends earlier, and the positions behind those places."""
    for n in range(len(text) - 1, 0, -1):
        ends = [e + 1 for e in occurrences(text, text[-n:]) if e + 1 < len(text)]
        if ends:
            return n, sorted(ends, reverse=True)
    return 0, []


@given(texts, texts)
def test_every_substring_with_all_its_ends(text, pattern):
    sam = SuffixAutomaton(text)
    state: int | None = 0
    for token in pattern:
        state = sam.step(state, token) if state is not None else None
    found = sorted(sam.ends(state)) if state and pattern else None
    expected = occurrences(text, pattern) if pattern else None
    assert (found or []) == (expected or [])


@given(texts)
def test_dynamic_cursor_finds_the_longest_earlier_match(text):
    cursor = SuffixCursor()
    for i, token in enumerate(text):
        cursor.read(token)
        assert (cursor.length, cursor.occurrences()) == longest_earlier(text[: i + 1])


@given(texts)
def test_size_stays_linear(text):
    sam = SuffixAutomaton(text)
    assert len(sam.length) <= max(2, 2 * len(text))

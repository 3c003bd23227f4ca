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
def test_shorter_suffixes_have_all_their_places(text):
    cursor = SuffixCursor()
    for token in text:
        cursor.read(token)
    found = dict(cursor.levels())
    seen: list[int] = []
    for n in range(len(text) - 1, 0, -1):
        ends = [e + 1 for e in reversed(occurrences(text, text[-n:])) if e + 1 < len(text)]
        if ends == seen:  # the longer suffix stands wherever this one does
            assert n not in found
        elif ends:
            assert found[n] == ends
        seen = ends


def climbed(text: list[int], length: int) -> tuple[int, int]:
    """The first place of the longest suffix with more than ``length`` tokens behind it, else of a single token."""
    found = 0, 0
    for n in range(len(text) - 1, 0, -1):
        ends = [e + 1 for e in occurrences(text, text[-n:]) if e + 1 < len(text)]
        if ends and (not found[0] or ends[0] < found[1]):
            found = n, ends[0]
        if ends and len(text) - ends[0] > length:
            break
    return found


@given(texts, st.integers(0, 12))
def test_the_first_place_with_enough_behind_it(text, length):
    cursor = SuffixCursor()
    for token in text:
        cursor.read(token)
    match, ends = cursor.earliest(length)
    assert (match, ends[-1] if ends else 0) == climbed(text, length)
    if match:
        assert text[ends[-1] - match : ends[-1]] == text[-match:]


def test_the_first_place_worked():
    """1 2 3 stands at the start and in the middle; 9 2 3 only in the middle."""
    cursor = SuffixCursor()
    for token in [1, 2, 3, 4, 5, 9, 2, 3, 6, 9, 2, 3]:
        cursor.read(token)
    assert (cursor.length, cursor.occurrences()) == (3, [8])
    assert cursor.earliest(3) == (3, [8])  # four tokens follow there
    assert cursor.earliest(4) == (2, [8, 3])  # more are wanted: 2 3 stood earlier
    assert cursor.earliest(99) == (2, [8, 3])  # nothing is earlier


@given(texts)
def test_size_stays_linear(text):
    sam = SuffixAutomaton(text)
    assert len(sam.length) <= max(2, 2 * len(text))

"""The automaton and its cursor against brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tiny import id_store

from respec_core.retrieval.retriever import Retriever
from respec_core.retrieval.shared_text import SharedText
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


@given(texts, texts, texts)
def test_a_text_read_before_is_copied_and_what_follows_stays_with_the_copy(prompt, mine, others):
    first, second = SuffixCursor.behind(prompt), SuffixCursor.behind(prompt)
    for token in others:
        first.read(token)
    for token in mine:
        second.read(token)
    assert (second.length, second.occurrences()) == longest_earlier(prompt + mine)
    again = SuffixCursor.behind(prompt)
    assert (again.length, again.occurrences()) == longest_earlier(prompt)


@given(texts, texts, st.lists(st.integers(1, 9), max_size=9), st.integers(1, 3))
def test_cursors_of_a_shared_text_find_what_a_lone_one_does_wherever_they_stop(prompt, output, strides, shortest):
    text = SharedText(prompt, output)
    for stops in (strides, [1] * len(output), strides[::-1]):  # later ones stop where earlier ones did not
        shared, lone = Retriever(behind=text.cursor), Retriever()
        shared.begin(prompt)
        lone.begin(prompt)
        left = output
        for stride in [0, *stops]:
            for reader in (shared, lone):
                reader.read(left[:stride])
            left = left[stride:]
            assert shared.match_lengths([]) == lone.match_lengths([])
            assert shared.own_levels(shortest, 3, 4, 9) == lone.own_levels(shortest, 3, 4, 9)
            assert shared.earliest(4) == lone.earliest(4)
            assert shared.grams(3, 2, 9) == lone.grams(3, 2, 9)


def levels_by_hand(text: list[int], shortest: int) -> list[tuple[int, list[int]]]:
    """Suffix lengths, longest first, wherever one more place than before shares them."""
    found: list[tuple[int, list[int]]] = []
    for n in range(len(text) - 1, shortest - 1, -1):
        ends = [e + 1 for e in occurrences(text, text[-n:]) if e + 1 < len(text)]
        if ends and (not found or len(ends) > len(found[-1][1])):
            found.append((n, sorted(ends, reverse=True)))
    return found


@given(texts, st.integers(1, 4))
def test_levels_are_all_suffix_lengths_with_their_places(text, shortest):
    cursor = SuffixCursor()
    for i, token in enumerate(text):
        cursor.read(token)
        assert list(cursor.levels(shortest)) == levels_by_hand(text[: i + 1], shortest)


@given(texts, st.integers(1, 3), st.integers(1, 5), st.integers(1, 12))
def test_own_candidates_are_the_longest_matches_first_then_the_newest(text, shortest, levels, limit):
    retriever = Retriever()
    retriever.read(text)
    expected: dict[int, tuple[int, int]] = {}
    for match, ends in levels_by_hand(text, shortest)[:levels]:
        for end in ends:
            expected.setdefault(end, (match, len(ends)))
    found = retriever.own_levels(shortest, levels, 4, limit)
    assert [(one.position, one.match_len, one.count) for one in found] == [
        (end, *expected[end]) for end in list(expected)[:limit]
    ]
    assert all(list(one.continuation) == text[one.position : one.position + 4] for one in found)


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=15), min_size=1, max_size=3), texts, st.integers(1, 3))
def test_a_stores_candidates_are_every_place_with_its_longest_match(documents, text, shortest):
    found = Retriever(id_store(*documents)).static_levels(text, shortest, 64, 4, 999)
    expected: dict[tuple[int, ...], int] = {}
    for document in documents:
        for end in range(1, len(document)):
            match = next(
                n for n in range(end, -1, -1) if n <= len(text) and document[end - n : end] == text[len(text) - n :]
            )
            if match >= shortest:
                key = (match, *document[end : end + 4])
                expected[key] = expected.get(key, 0) + 1
    counted: dict[tuple[int, ...], int] = {}
    for one in found:
        key = (one.match_len, *one.continuation)
        counted[key] = counted.get(key, 0) + 1
    assert counted == expected
    assert [one.match_len for one in found] == sorted((one.match_len for one in found), reverse=True)


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

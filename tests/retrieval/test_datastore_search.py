"""Longest-suffix search against brute force, vocabularies of any size, document boundaries."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from number_encoder import Numbers, store_of

from respec_core.retrieval.context_order import sort_contexts
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.documents import Document


def brute_force(documents: list[list[int]], query: list[int], max_span: int, min_span: int):
    """Longest suffix of ``query`` that occurs in a document: its length and every (document, end)."""
    for length in range(min(max_span, len(query)), max(min_span, 1) - 1, -1):
        suffix = query[len(query) - length :]
        ends = [
            (number, end)
            for number, ids in enumerate(documents)
            for end in range(length, len(ids) + 1)
            if ids[end - length : end] == suffix
        ]
        if ends:
            return length, ends
    return None


token = st.integers(0, 3)
corpus = st.lists(st.lists(token, min_size=1, max_size=30), min_size=1, max_size=6)


@settings(max_examples=300, deadline=None)
@given(corpus, st.lists(token, max_size=20), st.integers(1, 18), st.integers(1, 4), st.integers(1, 60))
def test_search_equals_brute_force(documents, query, max_span, min_span, part_tokens):
    texts = [Document(f"doc{i}", " ".join(map(str, ids))) for i, ids in enumerate(documents)]
    store = Datastore.from_documents(
        texts, Numbers(), part_tokens=part_tokens
    )  # several parts, as when sorted in turns
    expected = brute_force(documents, query, max_span, min_span)
    span = store.longest_suffix(query, max_span, min_span)
    if expected is None:
        assert span is None
        return
    length, ends = expected
    assert span is not None and span.length == length and span.count == len(ends)
    found = sorted((int(o.doc.removeprefix("doc")), o.token) for o in store.occurrences(span, 10_000))
    assert found == sorted(ends)
    for occurrence, row in zip(store.occurrences(span, 10_000), store.continuations(span, 10_000, 5), strict=True):
        follow = documents[int(occurrence.doc.removeprefix("doc"))][occurrence.token :][:5]
        assert row.tolist() == follow + [-1] * (5 - len(follow))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 2**31 - 2), min_size=1, max_size=60), st.sampled_from([np.uint16, np.uint32]))
def test_context_order_sorts_reversed_contexts(ids, dtype):
    tokens = (np.array(ids, dtype=np.uint64) % np.iinfo(dtype).max).astype(dtype)
    ends = sort_contexts(tokens)
    backwards = [tokens[:end][::-1].tolist() for end in ends]
    assert backwards == sorted(backwards) and sorted(ends.tolist()) == list(range(1, len(ids) + 1))


@pytest.mark.parametrize("distinct", [3, 255, 256, 257, 65_535, 65_536, 65_537, 70_000])
def test_sorting_does_not_care_how_many_distinct_tokens_there_are(distinct):
    tokens = np.random.default_rng(distinct).permutation(np.arange(distinct, dtype=np.uint32) * 7)
    ends = sort_contexts(tokens)
    assert (np.diff(tokens[ends.astype(np.int64) - 1].astype(np.int64)) > 0).all()  # all distinct: first token decides


@pytest.mark.parametrize("vocabulary", [100, 65_535, 65_536, 151_936, 300_000])
def test_any_vocabulary_size(vocabulary):
    top = vocabulary - 1
    store = store_of([[5, top, 7, top, top, 9], [top, 0, 1]], vocabulary)
    span = store.longest_suffix([1, 5, top])
    assert span is not None and span.length == 2
    assert store.continuations(span, 10, 4).tolist() == [[7, top, top, 9]]
    assert store.manifest.dtype == ("uint16" if vocabulary < 65_536 else "uint32")


def test_documents_are_never_crossed():
    store = store_of([[1, 2, 3], [4, 5, 6]])
    assert store.longest_suffix([3, 4], min_span=2) is None
    span = store.longest_suffix([9, 2, 3])
    assert span is not None and span.length == 2
    assert store.continuations(span, 10, 3).tolist() == [[-1, -1, -1]]
    assert store.snippet(int(store.positions(span)[0]), 10, 10).before == (1, 2, 3)
    last = store.longest_suffix([5, 6])
    assert last is not None and store.continuations(last, 10, 3).tolist() == [[-1, -1, -1]]


@pytest.mark.parametrize("query", [[], [1], [65_535, 65_535], [-1, -1], [10**9, 10**9]])
def test_nothing_to_find(query):
    assert store_of([[1, 2, 3], [1, 2]]).longest_suffix(query) is None


def test_an_impossible_id_ends_the_match():
    span = store_of([[1, 2, 3]]).longest_suffix([10**9, 1, 2])
    assert span is not None and span.length == 2


def test_many_matches_are_sampled_evenly():
    rng = random.Random(0)
    store = store_of([[1, 2, rng.randrange(3, 90)] for _ in range(3000)])
    span = store.longest_suffix([1, 2])
    assert span is not None and span.count == 3000
    sample = store.positions(span, 100)
    assert len(sample) == len(set(sample.tolist())) == 100
    assert store.continuations(span, 100, 2).shape == (100, 2)
    assert len(store.positions(span)) == 3000 and len(store.positions(span, 0)) == 0

"""Hits are cited by file and character; names are labels, never paths."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respec_core.bench import datastore_growth as growth
from respec_core.models.encoding import split_blocks
from respec_core.retrieval.build import build
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.documents import safe_name


def test_hits_are_cited_by_file_and_character(tmp_path, encoder):
    folder = tmp_path / "docs"
    (folder / "deep").mkdir(parents=True)
    text = "Grüße aus Köln – 你好 🌍! The red lighthouse keeper winds the clock.\r\nThe end."
    (folder / "deep" / "ünï.md").write_bytes(("\ufeff" + text).encode())
    lines = [{"text": "nothing here"}, {"messages": [{"role": "user", "content": "The green lighthouse door"}]}]
    (folder / "chat.jsonl").write_text("\n\n".join(map(json.dumps, lines)))
    build([folder], tmp_path / "store", encoder)
    store = Datastore.open(tmp_path / "store", encoder.fingerprint, verify=True)
    for phrase, doc, body in [
        ("The red lighthouse", "docs/deep/ünï.md", text.replace("\r\n", "\n")),
        ("The green lighthouse", "docs/chat.jsonl, line 3", "The green lighthouse door"),
    ]:
        span = store.longest_suffix(encoder.encode([phrase])[0].ids.tolist())
        assert span is not None
        (occurrence,) = store.occurrences(span)
        assert occurrence.doc == doc
        assert occurrence.char == body.index(phrase) + len(phrase)


def test_positions_are_exact_across_blocks_and_characters(encoder, monkeypatch):
    monkeypatch.setattr("respec_core.models.encoding.BATCH_CHARS", 70_000)
    text = "🌍 wörld line\n" * 15_000  # several tokenizer blocks, in more than one batch
    assert len(split_blocks(text)) > 1 and "".join(split_blocks(text)) == text
    (encoded,) = encoder.encode([text])
    assert encoded.offsets[-1] <= len(text) and (np.diff(encoded.offsets.astype(int)) >= 0).all()
    store = Datastore.from_texts({"big": text + "The unique ending"}, encoder)
    span = store.longest_suffix(encoder.encode(["The unique"])[0].ids.tolist())
    assert span is not None and [o.char for o in store.occurrences(span)] == [len(text) + len("The unique")]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_blocks_lose_nothing(size):
    text = "ab\ncdefgh\n\nijklmnop" * 9
    assert "".join(split_blocks(text, size)) == text and all(len(b) <= size for b in split_blocks(text, size))


@settings(max_examples=200)
@given(st.text(max_size=40))
def test_a_name_is_never_a_path_out(name):
    safe = safe_name(name)
    assert safe and not safe.startswith("/") and ".." not in safe.split("/") and "\n" not in safe
    safe.encode()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("../../etc/passwd", "etc/passwd"), ("/etc/passwd", "etc/passwd"), ("C:\\x\\..\\y", "x/y"), ("..", "unnamed")],
)
def test_names_that_try(name, expected, encoder):
    store = Datastore.from_texts({name: "some text"}, encoder)
    assert store.manifest.sources[0].name == expected


def test_ten_thousand_documents(encoder):
    documents = islice(growth.mutated(20_000_000), 10_000)
    texts = {f"{i}.txt": f"{document[:1000]} number {i}" for i, document in enumerate(documents)}
    store = Datastore.from_texts(texts, encoder)
    assert store.manifest.documents == 10_000
    name = "9999.txt"
    span = store.longest_suffix(encoder.encode([texts[name][-60:]])[0].ids.tolist())
    assert span is not None
    assert name in {occurrence.doc for occurrence in store.occurrences(span)}

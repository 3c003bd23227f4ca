"""Atomic building, and every refusal on opening."""

from __future__ import annotations

import json
import threading
from types import SimpleNamespace

import pytest

from respec_core.bench import datastore_growth as growth
from respec_core.errors import ReSpecError
from respec_core.models.encoding import TextEncoder
from respec_core.models.language_model import LanguageModel
from respec_core.models.vocabulary import vocabulary_fingerprint
from respec_core.retrieval import build as building
from respec_core.retrieval.build import build
from respec_core.retrieval.datastore import Datastore


def test_built_and_in_memory_agree(tmp_path, encoder):
    texts = {f"{i:02}.txt": document for i, document in enumerate(growth.mutated(30_000))}
    for name, text in texts.items():
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / name).write_text(text)
    manifest = build(sorted((tmp_path / "docs").iterdir()), tmp_path / "store", encoder, part_tokens=3000)
    assert len(manifest.parts) > 2
    disk, memory = Datastore.open(tmp_path / "store", encoder.fingerprint), Datastore.from_texts(texts, encoder)
    assert len(disk) == len(memory)
    ids = encoder.encode(["\n\n".join(growth.mutated(3000, seed=5))])[0].ids.tolist()
    for end in range(2, len(ids), 7):
        a, b = disk.longest_suffix(ids[:end]), memory.longest_suffix(ids[:end])
        assert (a is None) == (b is None)
        if a is not None and b is not None:
            assert (a.length, a.count) == (b.length, b.count)
            assert {(o.doc, o.char) for o in disk.occurrences(a, 10**6)} == {
                (o.doc, o.char) for o in memory.occurrences(b, 10**6)
            }


def test_another_tokenizer_is_refused(built, encoder):
    assert Datastore.open(built, encoder.fingerprint).manifest.model == "tiny"
    with pytest.raises(ReSpecError, match=r"built with another tokenizer \(tiny\)"):
        Datastore.open(built, "0123456789abcdef")


def test_fingerprint_is_the_models(encoder):
    stand_in = SimpleNamespace(tokenizer=encoder._tokenizer)
    assert LanguageModel.tokenizer_fingerprint(stand_in) == encoder.fingerprint
    assert encoder.fingerprint == vocabulary_fingerprint(encoder._tokenizer.get_vocab())


@pytest.mark.parametrize("file", ["tokens", "ends", "offsets", "starts", "owners", "places"])
def test_truncated_and_missing_files_are_refused(built, file):
    path = built / f"{file}.bin"
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(ReSpecError, match=rf"{file}\.bin has {len(data) - 1} bytes instead of {len(data)}"):
        Datastore.open(built)
    path.write_bytes(data[:-4] + b"\xee\xee\xee\xee")
    with pytest.raises(ReSpecError, match="damaged"):
        Datastore.open(built, verify=True)
    path.unlink()
    with pytest.raises(ReSpecError, match="is missing"):
        Datastore.open(built)


@pytest.mark.parametrize(
    "change",
    [
        "{",
        "[]",
        '"x"',
        {"schema_version": 2},
        {"entries": -1},
        {"entries": 10**9},
        {"parts": []},
        {"parts": [{"start": 5, "stop": 9}]},
        {"dtype": "float64"},
        {"documents": 0},
        {"sources": []},
        {"surprise": 1},
    ],
)
def test_corrupt_manifests_are_refused(built, change):
    file = built / "manifest.json"
    good = json.loads(file.read_text())
    file.write_text(change if isinstance(change, str) else json.dumps(good | change))
    with pytest.raises(ReSpecError):
        Datastore.open(built)


def test_not_a_datastore(tmp_path):
    with pytest.raises(ReSpecError, match="is not a datastore"):
        Datastore.open(tmp_path)
    with pytest.raises(ReSpecError, match="is not a datastore"):
        Datastore.open(tmp_path / "missing")


def test_existing_folders_are_safe(tmp_path, built, encoder):
    with pytest.raises(ReSpecError, match="exists already"):
        build([tmp_path / "a.txt"], built, encoder)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    with pytest.raises(ReSpecError, match="is not a datastore"):
        build([tmp_path / "a.txt"], precious, encoder, force=True)
    assert (precious / "thesis.txt").exists()
    (tmp_path / "a.txt").write_text("Something else entirely.")
    build([tmp_path / "a.txt"], built, encoder, force=True)
    assert Datastore.open(built, verify=True).manifest.sources[0].bytes == 24
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "precious", "store"]


@pytest.mark.parametrize("stage", ["reading", "sorting"])
def test_an_interrupted_build_leaves_nothing(tmp_path, encoder, stage):
    (tmp_path / "a.txt").write_text("some text")

    def interrupt(what: str, _share: float) -> None:
        if what.startswith(stage):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build([tmp_path / "a.txt"], tmp_path / "store", encoder, progress=interrupt)
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_failed_replacement_keeps_the_old_store(tmp_path, built, encoder, monkeypatch):
    monkeypatch.setattr(building, "sort_contexts", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        build([tmp_path / "a.txt"], built, encoder, force=True)
    Datastore.open(built, encoder.fingerprint, verify=True)


def test_nothing_to_index(tmp_path, encoder):
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(ReSpecError, match="hold no text"):
        build([tmp_path / "empty.txt"], tmp_path / "store", encoder)
    assert [p.name for p in tmp_path.iterdir()] == ["empty.txt"]
    with pytest.raises(ReSpecError, match="hold no text"):
        Datastore.from_texts({}, encoder)


def test_uploads_are_limited(encoder):
    with pytest.raises(ReSpecError, match=r"more than 0\.1 MB"):
        Datastore.from_texts({"a": "x" * 60_000, "b": "x" * 60_000}, encoder, max_bytes=100_000)
    with pytest.raises(ReSpecError, match="more than 10 tokens"):
        Datastore.from_texts({"a": "one two three four five six seven eight nine ten eleven"}, encoder, max_tokens=10)


def test_files_in_memory(tmp_path, encoder):
    (tmp_path / "a.txt").write_text("one two three")
    (tmp_path / "b.jsonl").write_text('{"text": "four five"}')
    store = Datastore.from_files([tmp_path / "a.txt", tmp_path / "b.jsonl"], encoder)
    assert [source.name for source in store.manifest.sources] == ["a.txt", "b.jsonl"]
    with pytest.raises(ReSpecError, match="the limit for one file"):
        Datastore.from_files([tmp_path / "a.txt"], encoder, max_bytes=5)


def test_no_fast_tokenizer():
    with pytest.raises(ReSpecError, match="no fast tokenizer"):
        TextEncoder(None)


def test_searching_from_threads(built, encoder):
    store, found = Datastore.open(built), []
    ids = encoder.encode(["The water cycle is the movement"])[0].ids.tolist()

    def search() -> None:
        found.extend(store.longest_suffix(ids) for _ in range(50))

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200 and len(set(found)) == 1

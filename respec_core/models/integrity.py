"""Whether a model's folder is whole, as far as that shows without reading the weights: what is cut, missing or unreadable."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from respec_core.errors import ReSpecError

INDEX = "model.safetensors.index.json"
WEIGHTS = ("*.safetensors",)
TOKENIZER = ("tokenizer.json", "*.model", "vocab.json", "*.tiktoken")


@dataclass(frozen=True)
class FileFault:
    """What is wrong with one file."""

    path: Path
    what: str

    def __str__(self) -> str:
        return f"{self.path.name} {self.what}"


def faults(folder: Path, needs: Sequence[Sequence[str]] = (WEIGHTS, TOKENIZER)) -> list[FileFault]:
    """What is wrong with a model in ``folder``; empty for one that is whole.

    Args:
        needs: groups of file patterns, at least one of each group must be there beside ``config.json``.
    """
    try:
        return [*_missing(folder, needs), *_unreadable(folder)]
    except OSError as error:
        return [FileFault(folder, f"cannot be read ({error.strerror})")]


def load_whole(load: Callable[..., Any], path: Path, name: str, **options: Any) -> Any:
    """The network that transformers' ``from_pretrained`` makes, unless it had to make up weights.

    Raises:
        ReSpecError: naming the first weight that the checkpoint lacks.
    """
    network, found = load(path, output_loading_info=True, **options)
    if missing := sorted(map(str, found["missing_keys"])):
        raise ReSpecError(f"{name} is not whole: {missing[0]} is missing ({len(missing)} in all); fetch it again.")
    return network


def _missing(folder: Path, needs: Sequence[Sequence[str]]) -> Iterator[FileFault]:
    for patterns in (("config.json",), *needs):
        if not any(any(folder.glob(pattern)) for pattern in patterns):
            yield FileFault(folder / patterns[0].replace("*", "model"), "is missing")
    shards = (_json(folder / INDEX) or {}).get("weight_map")
    for shard in sorted(set(shards.values())) if isinstance(shards, dict) else ():
        if not (folder / str(shard)).is_file():
            yield FileFault(folder / str(shard), "is missing")


def _unreadable(folder: Path) -> Iterator[FileFault]:
    for path in sorted(folder.glob("*.json")):
        if _json(path) is None:
            yield FileFault(path, "is damaged")
    for path in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(path, framework="pt") as file:  # compares the table of tensors with the file's length
                if not file.keys():
                    yield FileFault(path, "is empty")
        except (SafetensorError, OSError):
            yield FileFault(path, "is cut or damaged")


def _json(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None

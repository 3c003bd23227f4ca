"""Reading a drafter's weights file: plain numbers of the names and shapes asked for, or one sentence saying what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, TypeVar

import torch
from pydantic import Field, TypeAdapter, ValidationError
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from respec_core.errors import ReSpecError, reason

Module = TypeVar("Module", bound=nn.Module)
Config = TypeVar("Config")
Size = Annotated[int, Field(gt=0, lt=1 << 24)]  # of a config that was not damaged
Layers = Annotated[int, Field(gt=0, lt=256)]
NUMBERS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Every tensor of a ``.safetensors`` file, or of a ``.bin`` pickle, of which nothing else is ever unpacked.

    Raises:
        ReSpecError: if the file is damaged, holds something else, or numbers that are not finite.
    """
    read = _read_safetensors if path.suffix == ".safetensors" else _read_pickle
    tensors = read(path)
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(tensor.isfinite().all()):
            raise ReSpecError(f"{path}: {name} holds values that are not finite numbers; the file is damaged.")
    return tensors


def load_own(path: Path, build: Callable[[Config], Module], config: type[Config]) -> Module:
    """A module that this program saved with its config in the file's metadata.

    Args:
        config: the dataclass that ``build`` takes.

    Raises:
        ReSpecError: as :func:`read_tensors`, and if config and tensors do not fit each other.
    """
    tensors = read_tensors(path)
    fields = read_config(path, _metadata(path).get("config", "{}"), config)
    check_tensors(path, tensors, shapes(path, lambda: build(fields)))
    module = build(fields)
    module.load_state_dict(tensors)
    return module


def shapes(path: Path, build: Callable[[], nn.Module]) -> dict[str, Tensor]:
    """Names and shapes of a module's tensors, no matrix of them allocated: a damaged config may ask for any size.

    Raises:
        ReSpecError: for sizes that cannot be.
    """
    try:
        with torch.device("meta"):
            return build().state_dict()
    except RuntimeError as error:
        raise ReSpecError(f"{path}: the config of this drafter asks for tensors that cannot be.") from error


def read_config(path: Path, text: str | bytes, kind: type[Config]) -> Config:
    """``text`` (JSON) as ``kind``, a dataclass or pydantic model; its first fault is named by field.

    Raises:
        ReSpecError: if a field is missing or has a value that it cannot have.
    """
    try:
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise ReSpecError(
            f"{path}: this is no config of a drafter that can be read here ({field or 'JSON'}: {first['msg']})."
        ) from None


def check_tensors(
    path: Path, found: Mapping[str, Tensor], expected: Mapping[str, Tensor], optional: Iterable[str] = ()
) -> None:
    """Whether ``found`` has the names, shapes and kinds of number of ``expected`` (on the meta device), and no others.

    Raises:
        ReSpecError: naming the first tensor that is missing, unknown, or of another shape or kind.
    """
    for name in expected:
        if name not in found and name not in optional:
            raise ReSpecError(f"{path}: {name} is missing; this is not a whole drafter of this kind.")
    for name, tensor in found.items():
        if name not in expected:
            raise ReSpecError(f"{path}: {name} is unknown here; a drafter with it would be read wrongly.")
        wanted = expected[name]
        if tensor.shape != wanted.shape:
            raise ReSpecError(f"{path}: {name} has shape {list(tensor.shape)}, not {list(wanted.shape)}.")
        if tensor.is_floating_point() != wanted.is_floating_point():
            raise ReSpecError(f"{path}: {name} holds {tensor.dtype}, not {wanted.dtype}.")


def _read_safetensors(path: Path) -> dict[str, Tensor]:
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    except (SafetensorError, OSError, ValueError) as error:
        raise _damaged(path, reason(error)) from error
    return _plain(path, tensors)


def _read_pickle(path: Path) -> dict[str, Tensor]:
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever a damaged or hostile pickle makes the reader say
        raise _damaged(path, "it is cut, or holds more than tensors") from error
    if not isinstance(content, Mapping):
        raise _damaged(path, "it holds no tensors by name")
    return _plain(path, content)


def _plain(path: Path, content: Mapping[str, object]) -> dict[str, Tensor]:
    tensors = {}
    for name, value in content.items():
        if not isinstance(value, Tensor) or value.layout != torch.strided:
            raise _damaged(path, f"{name} is no plain tensor")
        if value.is_floating_point() and value.dtype not in NUMBERS:
            raise ReSpecError(
                f"{path}: {name} is stored as {value.dtype}, which is not supported; use fp32, bf16 or fp16."
            )
        tensors[name] = value
    return tensors


def _metadata(path: Path) -> dict[str, str]:
    with safe_open(path, framework="pt") as file:
        return file.metadata() or {}


def _damaged(path: Path, why: str) -> ReSpecError:
    return ReSpecError(f"{path} could not be read as weights ({why}); fetch or train it again.")

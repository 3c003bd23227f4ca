"""What a CUDA graph does, on a processor: the operations of one call, repeated on the same addresses without its Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

R = TypeVar("R")
HOST = (
    "_local_scalar_dense",
    "lift_fresh",
    "lift_fresh_copy",
    "nonzero",
    "is_nonzero",
)  # wait for, or copy from, the host


class _Operations(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        assert func.overloadpacket.__name__ not in HOST, f"{func} cannot be captured"
        made = func(*args, **kwargs)
        self.calls.append((func, args, kwargs, made))
        return made


def recorded(step: Callable[[], R]) -> Callable[[], R]:
    """``step`` as a graph: its results are overwritten by every replay."""
    with _Operations() as operations:
        result = step()

    def replay() -> R:
        again: dict[int, torch.Tensor] = {}

        def current(given):
            return tree_map_only(torch.Tensor, lambda tensor: again.get(id(tensor), tensor), given)

        for func, args, kwargs, made in operations.calls:
            remade = func(*current(args), **current(kwargs))
            for old, new in zip(tensors(made), tensors(remade), strict=True):
                again[id(old)] = new
        for old, new in zip(tensors(result), tensors(current(result)), strict=True):
            old.copy_(new)
        return result

    return replay


def tensors(made: Any) -> list[torch.Tensor]:
    """Those in ``made``, in order."""
    found: list[torch.Tensor] = []
    tree_map_only(torch.Tensor, found.append, made)
    return found

"""From a module whose operations Python calls one by one to one that torch runs as a whole: TorchScript."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor, nn

from respec_core.models.lean.quietly import without_warnings

Out = TypeVar("Out")
Kind = TypeVar("Kind", bound=type[nn.Module])

AVAILABLE = sys.version_info < (3, 14)  # TorchScript is not kept up with newer ones

WARM_UPS = 3  # calls until TorchScript has compiled for good: not in a run, which would take its drafter for slow


def scripted(module: Callable[..., Out], device: torch.device) -> Callable[..., Out]:
    """``module``, compiled as it is called, over the same weights; itself where there is no TorchScript for ``device``.

    Nothing is computed otherwise, as nothing is fused on a processor. But half of a small forward is Python calling operations, and its
    lock is let go once a call in place of once an operation, so that a forward waits less for other threads. On cards operations would
    be fused, and graphs do this job (``capturing.py``).
    """
    if not AVAILABLE or device.type != "cpu":
        return module
    with without_warnings():  # that TorchScript will go: the version of torch is pinned
        compiled: Callable[..., Out] = torch.jit.script(module)
    return compiled


def interface(kind: Kind) -> Kind:
    """``kind`` as what TorchScript knows of modules: its methods' types, which are said with ``Tensor`` and ``torch``."""
    if not AVAILABLE:
        return kind
    with without_warnings():
        return torch.jit.interface(kind)


@torch.inference_mode()
def traced(module: nn.Module, *examples: Tensor) -> Callable[..., Tensor]:
    """As :func:`scripted`, of what ``module`` does to ``examples``, for one whose Python TorchScript does not take.

    It must branch on nothing that is computed. What it says of a size that is not fixed must come from its inputs' shapes.
    """
    if not AVAILABLE or examples[0].device.type != "cpu":
        return module
    with without_warnings():
        compiled: Callable[..., Tensor] = torch.jit.trace(module, examples, check_trace=False)
    for _ in range(WARM_UPS):
        compiled(*examples)
    return compiled

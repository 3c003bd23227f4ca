"""Making a lean network of a transformers network."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from respec_core.models.lean.int8 import Int8, quantised
from respec_core.models.lean.network import LeanNetwork
from respec_core.models.lean.projection import Projection
from respec_core.models.lean.rotations import Rotations
from respec_core.models.lean.shape import Shape
from respec_core.models.lean.weights import Make, from_network
from respec_core.models.registry import INT8


def lean_network(network: Any, limit: int, kind: str) -> LeanNetwork:
    """The lean forward over ``network``, which :func:`~respec_core.models.lean.shape.why_not_lean` takes.

    Args:
        limit: most tokens a run may hold.
        kind: ``int8``, or the precision that the network is in.
    """
    if kind == INT8:
        return lean_from(network, limit, int8)
    shape = Shape.of(network.config)
    return LeanNetwork(shape, from_network(network, shape), Rotations(network.config, limit, network.device), kind)


def lean_from(network: Any, limit: int, make: Make) -> LeanNetwork:
    """In int8, with what ``make`` makes of each projection; ``network`` gives embedding, norms and configuration."""
    shape = Shape.of(network.config)
    rotations = Rotations(network.config, limit, network.get_input_embeddings().weight.device)
    return LeanNetwork(shape, from_network(network, shape, make, torch.float32), rotations, INT8)


def int8(name: str, weight: Tensor, bias: Tensor | None) -> Projection:
    """A projection in int8."""
    return Int8(*quantised(weight), bias if bias is None else bias.float())

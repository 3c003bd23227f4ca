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
from respec_core.models.lean.weights import from_network
from respec_core.models.registry import INT8


def lean_network(network: Any, limit: int, kind: str) -> LeanNetwork:
    """The lean forward over ``network``, which :func:`~respec_core.models.lean.shape.why_not_lean` takes.

    Args:
        limit: most tokens a run may hold.
        kind: ``int8``, or the precision that the network is in.
    """
    shape = Shape.of(network.config)
    exact = kind == INT8
    weights = from_network(network, shape, _int8, torch.float32) if exact else from_network(network, shape)
    return LeanNetwork(shape, weights, Rotations(network.config, limit, network.device), kind)


def _int8(name: str, weight: Tensor, bias: Tensor | None) -> Projection:
    return Int8(*quantised(weight), bias if bias is None else bias.float())

"""Matrix products of the lean forward in the weights' own precision, in methods that TorchScript takes."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch.nn.functional as F
from torch import Tensor, nn


class RowNorm(NamedTuple):
    """An RMS norm (arXiv 1910.07467): ``weight [width]``, and the floor of a row's mean square, a tensor ``[1, 1]`` and a number."""

    weight: Tensor
    floor: Tensor
    eps: float

    @classmethod
    def of(cls, weight: Tensor, eps: float) -> RowNorm:
        """With ``weight``, floored at ``eps``."""
        return cls(weight, weight.new_full((1, 1), eps), eps)


def normed(x: Tensor, norm: tuple[Tensor, Tensor, float]) -> Tensor:
    """``x [..., width]``, normed by a :class:`RowNorm` (a tuple to TorchScript)."""
    weight, _, eps = norm
    return F.rms_norm(x, weight.shape, weight, eps)


class Projection(Protocol):
    """A linear layer as the forward uses it. Rows go in, ``[n, in]``, and come out, ``[n, out]``."""

    def normed(self, x: Tensor, norm: tuple[Tensor, Tensor, float]) -> Tensor:
        """The product with ``x`` as a :class:`RowNorm` norms it."""

    def onto(self, residual: Tensor, x: Tensor) -> Tensor:
        """``residual [n, out]`` plus the product with ``x``."""


class Dense(nn.Module):
    """``weight [out, in]`` in fp32, bf16 or fp16, ``bias [out]`` where the layer has one."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        super().__init__()
        self.weight, self.bias = weight, bias

    def normed(self, x: Tensor, norm: tuple[Tensor, Tensor, float]) -> Tensor:
        """The product with the normed ``x``."""
        return F.linear(normed(x, norm), self.weight, self.bias)

    def onto(self, residual: Tensor, x: Tensor) -> Tensor:
        """``residual`` plus the product with ``x``."""
        return residual + F.linear(x, self.weight, self.bias)  # TorchScript would take an addmm apart

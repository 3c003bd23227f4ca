"""Matrix products of the lean forward in the weights' own precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor


class RowNorm:
    """An RMS norm (arXiv 1910.07467): ``weight [width]``, and the ``floor [1, 1]`` of a row's mean square."""

    def __init__(self, weight: Tensor, eps: float) -> None:
        self.weight, self.eps = weight, eps
        self.floor = weight.new_full((1, 1), eps)

    def __call__(self, x: Tensor) -> Tensor:
        """``[..., width]``, normed."""
        return F.rms_norm(x, self.weight.shape, self.weight, self.eps)


class Projection(Protocol):
    """A linear layer as the forward uses it. Rows go in, ``[n, in]``, and come out, ``[n, out]``."""

    def normed(self, x: Tensor, norm: RowNorm) -> Tensor:
        """The product with ``norm(x)``."""

    def onto(self, residual: Tensor, x: Tensor) -> Tensor:
        """``residual [n, out]`` plus the product with ``x``."""


@dataclass(frozen=True)
class Dense:
    """``weight [out, in]`` in fp32, bf16 or fp16, ``bias [out]`` where the layer has one."""

    weight: Tensor
    bias: Tensor | None = None

    def normed(self, x: Tensor, norm: RowNorm) -> Tensor:
        """The product with ``norm(x)``."""
        return F.linear(norm(x), self.weight, self.bias)

    def onto(self, residual: Tensor, x: Tensor) -> Tensor:
        """``residual`` plus the product with ``x``."""
        if self.bias is not None:
            residual = residual + self.bias
        return torch.addmm(residual, x, self.weight.t())

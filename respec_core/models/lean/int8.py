"""Matrix products in int8 whose rows do not depend on how many are multiplied together.

Weights are int8 with one scale an output row. An activation row is divided by its largest value and written as two int8
digits, a high and a low one, which go through the product as two rows: about 15 bits. Integer sums are exact in any
order, so a row's product is the same to the last bit alone and in a block. Quantising, product and scaling are one call
of FBGEMM through torch, which documents neither the call nor its future: ``self_test.py`` decides whether it is used.
"""

from __future__ import annotations

# mypy: disable-error-code="name-defined"
# (TorchScript knows a class of C++ by a name that Python does not)
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from respec_core.models.lean.quietly import without_warnings

DIGIT = 127  # the largest
FINER = 2 * DIGIT  # a low digit's units in one of the high digit's
ZERO = 128  # activations are quantised to uint8 around it
TINY = 1e-30  # a row of zeros is divided by something
ENGINE = "fbgemm"


def processor_has_it() -> bool:
    """Whether torch has these products for this kind of processor (x86)."""
    return ENGINE in torch.backends.quantized.supported_engines


def multiply(digits: Tensor, packed: torch.classes.quantized.LinearPackedParamsBase, zero: int = ZERO) -> Tensor:
    """``[n, out]`` of ``digits [n, in]`` up to ±127, which are rounded, and weights that :func:`packed` made."""
    product: Tensor = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(digits, 1.0, zero, packed)
    return product


def quantised(weight: Tensor) -> tuple[Tensor, Tensor]:
    """``weight [out, in]`` as int8 and its scales ``[out]`` in fp32."""
    weight = weight.float()
    scale = weight.abs().amax(1).clamp_min(TINY) / DIGIT
    return (weight / scale[:, None]).round_().clamp_(-DIGIT, DIGIT).to(torch.int8), scale


@cache
def warn_now() -> None:
    """Torch warns, once a process, that its quantised tensors will go. Known, and the filter of warnings is the process's, so
    let it do so before there are threads."""
    with without_warnings():
        _per_row(torch.zeros((1, 1), dtype=torch.int8), torch.ones(1))


def packed(weight: Tensor, scale: Tensor) -> Any:
    """``weight`` int8 ``[out, in]`` with ``scale [out]`` as :func:`multiply` takes it; a digit counts 1/127 of its row's
    largest value."""
    warn_now()
    return torch.ops.quantized.linear_prepack(_per_row(weight, scale.double() / DIGIT), None)


def _per_row(weight: Tensor, scale: Tensor) -> Tensor:
    zeros = torch.zeros(len(scale), dtype=torch.long)
    return torch._make_per_channel_quantized_tensor(weight, scale.double(), zeros, 0)


class Int8(nn.Module):
    """``weight`` int8 ``[out, in]`` with ``scale [out]``, packed for the processor; ``bias [out]`` stays fp32."""

    def __init__(self, weight: Tensor, scale: Tensor, bias: Tensor | None = None) -> None:
        super().__init__()
        self.packed, self.bias = packed(weight, scale), bias
        self.digits, self.finer = torch.tensor([DIGIT, DIGIT * FINER]).float().view(2, 1, 1), float(FINER)

    def normed(self, x: Tensor, norm: tuple[Tensor, Tensor, float]) -> Tensor:
        """The product with the normed ``x``; the norm's factor of a row joins the row's scale behind the product."""
        weight, floor, _ = norm
        y, largest = self.product(x * weight)
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        factor = torch.addcmul(floor, length, length, value=1 / x.shape[-1]).rsqrt_().mul_(largest)
        return y.mul_(factor) if self.bias is None else torch.addcmul(self.bias, y, factor)

    def onto(self, residual: Tensor, x: Tensor) -> Tensor:
        """``residual`` plus the product with ``x``."""
        y, largest = self.product(x)
        if self.bias is not None:
            residual = residual + self.bias
        return torch.addcmul(residual, y, largest)

    def product(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """``[n, out]`` of the rows divided by their largest values, and these ``[n, 1]``."""
        largest = x.abs().amax(-1, keepdim=True)
        pair = x * torch.div(self.digits, largest)  # a row of zeros becomes anything: its products are times zero
        high, low = pair.unbind()
        low.sub_(high.round(), alpha=self.finer)  # FBGEMM rounds the high one likewise
        high, low = multiply(pair.flatten(0, 1), self.packed).chunk(2)
        return torch.add(high, low, alpha=1 / self.finer), largest

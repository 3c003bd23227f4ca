"""Matrix products in int8 for drafters: one digit an activation, since a guess need not be exact."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from respec_core.models.lean.int8 import DIGIT, TINY, multiply, packed, quantised

_DIGIT = torch.tensor(float(DIGIT))


def is_fast() -> bool:
    """Whether the processor multiplies int8 by itself (VNNI); others may also saturate."""
    return bool(torch.cpu.get_capabilities().get("avx512_vnni"))


class RoughLinear(nn.Module):
    """A linear layer with int8 weights and activations of about 8 bits, each row with its own scale; fp32 in and out."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self._packed = packed(*quantised(linear.weight.detach()))
        self.bias = None if linear.bias is None else linear.bias.detach().float()

    def forward(self, x: Tensor) -> Tensor:
        """``[..., out]`` of ``x [..., in]``."""
        rows = x.reshape(-1, x.shape[-1])
        largest = rows.abs().amax(-1, keepdim=True).clamp_min_(TINY)
        y = multiply(rows * torch.div(_DIGIT, largest), self._packed)
        y = y.mul_(largest) if self.bias is None else torch.addcmul(self.bias, y, largest)
        return y.view(*x.shape[:-1], y.shape[-1])


def roughly(network: nn.Module) -> None:
    """Put :class:`RoughLinear` in the place of every linear layer of ``network``, which nobody may train any more."""
    for name, part in network.named_children():
        if isinstance(part, nn.Linear):
            setattr(network, name, RoughLinear(part))
        else:
            roughly(part)

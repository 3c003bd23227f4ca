"""What a block drafter's own layers keep of what the head has read, in few calls."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from respec_core.methods.diffuspec.block_network import BlockDrafter
from respec_core.models.lean.scripting import traced


class ContextRows(nn.Module):
    """A drafter's, as :meth:`BlockDrafter.context`."""

    def __init__(self, drafter: BlockDrafter) -> None:
        super().__init__()
        self.drafter = drafter

    @classmethod
    def compiled(cls, drafter: BlockDrafter) -> Callable[..., Tensor]:
        """Where that can be: of a drafter that stays as it is. Changes no bit."""
        first = torch.zeros((), dtype=torch.long, device=drafter.mask.device)
        return traced(cls(drafter), drafter.mask.new_ones(3, drafter.config.hidden_size), first)

    def forward(self, states: Tensor, first: Tensor) -> Tensor:
        """Keys and values ``[layers, 2, 1, kv_heads, n, d]`` of the head's ``states [n, hidden]``, whose rows begin at ``first``, ``[]``."""
        rows = [torch.stack(both) for both in self.drafter.context(states[None], first)]
        return torch.stack(rows) if rows else states.new_empty(0)

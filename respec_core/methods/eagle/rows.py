"""What a run keeps of an EAGLE head's rows."""

from __future__ import annotations

import torch

from respec_core.methods.eagle.head import EagleHead
from respec_core.models.cache_rows import with_room

MAX_DRAFT_ROWS = 256


class HeadRows:
    """Keys and values of committed rows and, behind them, of drafted ones; states of these.

    Attributes:
        keys: ``[kv_heads, capacity, d]``, and ``values`` too.
        states: ``[MAX_DRAFT_ROWS + 1, hidden]``; the last is the last committed row's.
    """

    def __init__(self, head: EagleHead, capacity: int) -> None:
        c = head.config
        self.keys = torch.zeros((c.num_kv_heads, capacity, c.head_dim), dtype=head.dtype, device=head.device)
        self.values = torch.zeros_like(self.keys)
        self.states = torch.zeros((MAX_DRAFT_ROWS + 1, c.hidden_size), dtype=head.dtype, device=head.device)

    @property
    def capacity(self) -> int:
        """Rows that there is room for."""
        return self.keys.shape[1]

    def make_room(self, rows: int) -> None:
        """For ``rows`` in all."""
        self.keys, self.values = with_room(self.keys, rows), with_room(self.values, rows)

    @torch.inference_mode()
    def clear(self) -> None:
        """Forget everything, keep the memory."""
        for tensor in (self.keys, self.values, self.states):
            tensor.zero_()

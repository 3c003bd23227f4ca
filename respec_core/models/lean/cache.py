"""Keys and values of one sequence, all layers in one buffer; what a forward wrote stays only where it is kept."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from respec_core.models.cache_rows import with_room
from respec_core.models.lean.sending import sent
from respec_core.models.lean.shape import Shape


class RowCache:
    """``[layers, kv_heads of keys | kv_heads of values, rows, head_dim]``: one buffer, written in place.

    A forward writes its rows behind ``length`` and does not move it; :meth:`keep` then commits some of them.
    """

    def __init__(self, shape: Shape, capacity: int, dtype: torch.dtype, device: torch.device) -> None:
        size = (shape.layers, 2 * shape.kv_heads, max(capacity, 1), shape.head_dim)
        self.rows = torch.zeros(size, dtype=dtype, device=device)
        self.length = 0

    @property
    def capacity(self) -> int:
        """Rows that there is room for."""
        return self.rows.shape[2]

    def make_room(self, count: int) -> None:
        """For ``count`` rows behind the committed ones."""
        self.rows = with_room(self.rows, self.length + count)

    def keep(self, rows: Sequence[int]) -> None:
        """Commit ``rows`` (ascending, counted from the first uncommitted row); forget the other written rows."""
        moved = next((i for i, row in enumerate(rows) if row != i), len(rows))
        if moved < len(rows):
            source = sent(rows[moved:], self.rows.device) + self.length
            self.rows[:, :, self.length + moved : self.length + len(rows)] = self.rows[:, :, source]
        self.length += len(rows)

    def crop(self, tokens_to_remove: int) -> None:
        """Forget the last ``-tokens_to_remove`` committed rows (transformers' sign convention: negative)."""
        if tokens_to_remove > 0:
            raise ValueError("crop takes a negative number of tokens to remove")
        self.length = max(0, self.length + tokens_to_remove)

    @torch.inference_mode()
    def clear(self) -> None:
        """Forget everything, keep the memory."""
        self.rows.zero_()
        self.length = 0

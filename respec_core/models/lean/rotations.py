"""Rotary positions as complex numbers (RoPE, arXiv 2104.09864)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from respec_core.models.lean.frequencies import turns_of
from respec_core.models.lean.sending import sent

BLOCK = 1024  # positions are computed in whole blocks: a position's numbers do not depend on who else is asked for


class Rotations:
    """``complex64 [position, head_dim / 2]``, made as far as it is asked for.

    A head's elements stand in pairs (``weights.py``), and turning a pair is one complex product.

    Args:
        config: the model's; its length and rotary kind say what the frequencies are.
        limit: positions from here on are never asked for together with earlier ones (``context_limit``).
    """

    def __init__(self, config: Any, limit: int, device: torch.device) -> None:
        self._turns = turns_of(config, device)
        self._limit, self._device = limit, device
        self._table = torch.empty(0, 0)

    def at(self, positions: Sequence[int]) -> Tensor:
        """``[positions, head_dim / 2]``; a view where they follow one another."""
        first, end = positions[0], max(positions) + 1
        while len(self._table) < end:
            self._grow()
        if isinstance(positions, range):
            return self._table[first:end]
        return self._table[sent(positions, self._device)]

    @torch.inference_mode()
    def _grow(self) -> None:
        start = len(self._table)
        end = start + BLOCK if start >= self._limit else min(start + BLOCK, self._limit)
        block = torch.complex(*self._turns(torch.arange(start, end, device=self._device)))
        self._table = torch.cat((self._table, block)) if start else block

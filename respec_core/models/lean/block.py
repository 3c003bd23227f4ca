"""What a step over a few tokens reads, at addresses that never change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from respec_core.models.lean.sending import sent


class Block:
    """Inputs for up to ``size`` tokens over a cache of ``capacity`` rows; what the tokens leave is padding.

    Padding sees all rows before its own, so that it stays finite. Its rows lie behind the tokens', where nobody looks and the
    next step writes.

    Attributes:
        numbers: whole numbers of each token, ``[kinds, size]``.
        visible: bool ``[size, capacity]``, which rows of the cache each token sees.
    """

    def __init__(self, kinds: int, size: int, capacity: int, device: torch.device) -> None:
        self.numbers = torch.zeros((kinds, size), dtype=torch.long, device=device)
        self.visible = torch.zeros((size, capacity), dtype=torch.bool, device=device)

    def fill(self, numbers: Sequence[Sequence[int]], end: int, visible: np.ndarray | None) -> None:
        """Nothing is waited for.

        Args:
            numbers: of every kind, padding included.
            end: rows of the cache with those of the tokens.
            visible: bool ``[n, m]``, which of the last ``m`` rows before ``end`` each token sees; it sees those before.
                None: all see everything.
        """
        self.numbers.copy_(sent(numbers, self.numbers.device))
        seen = torch.zeros(self.visible.shape, dtype=torch.bool, pin_memory=self.visible.is_cuda)
        seen[:, :end] = True
        if visible is not None:
            n, m = visible.shape
            seen[:n, end - m : end] = torch.from_numpy(visible)
        self.visible.copy_(seen, non_blocking=True)

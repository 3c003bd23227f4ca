"""What a forward over a few tokens reads, at addresses that never change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from respec_core.models.lean.sending import sent


class Block:
    """Inputs for up to ``size`` tokens over a cache of ``capacity`` rows; what the tokens leave is padding.

    Padding sees all rows before its own, so that it stays finite. Its rows lie behind the tokens', where nobody looks and the
    next forward writes.

    Attributes:
        numbers: token ids and cache rows, ``[2, size]``.
        turns: complex, of the positions, ``[size, pairs]``.
        visible: bool ``[size, capacity]``, which rows of the cache each token sees.
    """

    def __init__(self, size: int, capacity: int, pairs: int, device: torch.device) -> None:
        self.numbers = torch.zeros((2, size), dtype=torch.long, device=device)
        self.turns = torch.zeros((size, pairs), dtype=torch.complex64, device=device)
        self.visible = torch.zeros((size, capacity), dtype=torch.bool, device=device)

    def fill(self, tokens: Sequence[int], turns: Tensor, start: int, visible: np.ndarray | None) -> None:
        """For ``tokens`` behind ``start`` committed rows; nothing is waited for.

        Args:
            turns: of the tokens' positions, ``[n, pairs]``.
            visible: as :meth:`~respec_core.models.lean.session.LeanSession.forward_nodes` has it.
        """
        n, size = len(tokens), len(self.turns)
        numbers = [[*tokens, *[0] * (size - n)], list(range(start, start + size))]
        self.numbers.copy_(sent(numbers, self.numbers.device))
        self.turns[:n].copy_(turns)
        seen = torch.zeros(self.visible.shape, dtype=torch.bool, pin_memory=self.visible.is_cuda)
        seen[:, : start + n] = True
        if visible is not None:
            seen[:n, start + n - visible.shape[1] : start + n] = torch.from_numpy(visible)
        self.visible.copy_(seen, non_blocking=True)

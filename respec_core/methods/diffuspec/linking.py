"""What links the positions of a filled block, one after the other, in a method that TorchScript takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respec_core.methods.diffuspec.lattice import MIXED
from respec_core.models.lean.scripting import WARM_UPS, scripted


class Linking(nn.Module):
    """By what a Markov head makes of tokens: ``said [draft_vocab, width]`` before and ``rows [draft_vocab, rank]`` as guesses."""

    def __init__(self, said: Tensor, rows: Tensor, inner: Tensor) -> None:
        super().__init__()
        self.said, self.rows, self.inner, self.mixed = said, rows, inner, MIXED

    @classmethod
    @torch.inference_mode()
    def compiled(cls, said: Tensor, rows: Tensor, inner: Tensor) -> Callable[..., Any]:
        """Where that can be. Changes no bit."""
        linking = scripted(cls(said, rows, inner), said.device)
        entries = torch.zeros((2, 2), dtype=torch.long, device=said.device)
        for _ in range(WARM_UPS):
            linking(said.new_zeros(len(said)), entries[0, 0], entries, said.new_zeros(2, 3), said[[0, 0]], 2)
        return linking

    def forward(
        self, first: Tensor, given: Tensor, entries: Tensor, logits: Tensor, read: Tensor, width: int
    ) -> tuple[list[Tensor], list[Tensor], list[Tensor], list[Tensor]]:
        """The ``width`` likeliest candidates of ``k`` positions.

        Args:
            first: log-probabilities of position 0 ``[draft_vocab]``; the block was given the entry ``given``, ``[]``.
            entries: the cells of the positions behind it ``[k - 1, cells]``; ``logits`` theirs and that of all others
                together, ``[k - 1, cells + 1]``.
            read: their states for the gate ``[k - 1, width of the gate]``.

        Returns:
            of each position, its candidates' entries, log-probabilities, those without links, and those behind each
            candidate before; the first position is one of the first two only.
        """
        wide = max(width, self.mixed)
        log_p, before = first.topk(min(wide, first.shape[0]))
        found, chances = [before[:width]], [log_p[:width]]
        alones: list[Tensor] = []
        edges: list[Tensor] = []
        rows, alone = F.pad(self.rows[entries], (0, 0, 0, 1)).transpose(1, 2), logits.log_softmax(-1)
        for i in range(logits.shape[0]):
            pull = F.linear(F.silu(read[i] + self.said[before]), self.inner)  # as MarkovHead.pull
            if i == 0:
                pull = pull * (before != given)[:, None]
            linked = (logits[i] + torch.matmul(pull, rows[i])).log_softmax(-1)[:, :-1]
            mixed = (log_p[: self.mixed].log_softmax(-1)[:, None] + linked[: self.mixed]).logsumexp(0)
            log_p, order = mixed.topk(min(wide, mixed.shape[0]))
            before = entries[i][order]
            found.append(before[:width])
            chances.append(log_p[:width])
            alones.append(alone[i][order[:width]])
            edges.append(linked[:width, order[:width]])
        return found, chances, alones, edges

"""What the token before a position changes in a block drafter's guess (DSpark's Markov head, DeepSeek 2026; gated, ours).

A block is filled in one pass, so no position knows what stands before it. DSpark adds ``W1[x]·W2`` to the logits behind
a token x. Ours is gated by the position's own state, ``W2ᵀ·V·silu(A·h + P·x)``, and has no tables of its own, which
overfit: P reads the target's embedding, and W2 is a projection of the head's output rows. The likeliest ``cells`` of a
position are changed; the others keep their logits, and all share what is left of the probability.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import torch
import torch.nn.functional as F
from pydantic import ConfigDict, PositiveFloat
from safetensors.torch import save
from torch import Tensor, nn

from respec_core.boundary.output import make_folder, write_bytes
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.block_network import BlockDrafter
from respec_core.methods.eagle.head import EagleHead
from respec_core.models.weights import Size, load_own

WEIGHTS = "block_markov.safetensors"


@dataclass(frozen=True)
class MarkovConfig:
    """Shape of a Markov head.

    Attributes:
        block: positions of the drafter, the first included, which is the EAGLE head's and needs no change.
        width, rank: of the gate, and of what it adds to the logits.
        cells: likeliest tokens of a position that are changed.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    hidden_size: Size
    block: Size
    width: Size
    rank: Size
    cells: Size
    rms_norm_eps: PositiveFloat


@dataclass(frozen=True)
class Cells:
    """The likeliest tokens of positions, as the block's own pass has them.

    Attributes:
        entries: in the draft vocabulary ``[..., cells]``, likeliest first.
        logits: theirs ``[..., cells]``, float32.
        rest: of all others together, log-sum-exp ``[..., 1]``; −∞ where there are none.
    """

    entries: Tensor
    logits: Tensor
    rest: Tensor

    @classmethod
    def of(cls, logits: Tensor, cells: int) -> Cells:
        """From logits ``[..., draft_vocab]``."""
        logits = logits.float()
        best, entries = logits.topk(min(cells, logits.shape[-1]), dim=-1)
        largest = best[..., :1]
        others = (logits - largest).exp_().scatter_(-1, entries, 0.0)
        return cls(entries, best, others.sum(-1, keepdim=True).log_().add_(largest))

    def conditional(self, change: Tensor) -> Cells:
        """Log-probabilities of the same, once ``change [..., cells]`` is added to the logits."""
        logits = self.logits + change
        total = torch.logaddexp(logits.logsumexp(-1, keepdim=True), self.rest)
        return Cells(self.entries, logits - total, self.rest - total)


class MarkovHead(nn.Module):
    """The weights; the EAGLE head is passed in, never owned. Adds nothing before it is trained."""

    def __init__(self, config: MarkovConfig) -> None:
        super().__init__()
        self.config = config
        h = config.hidden_size
        self.place = nn.Parameter(torch.zeros(config.block - 1, config.width))
        self.state = nn.Linear(h, config.width, bias=False)
        self.before = nn.Linear(h, config.width, bias=False)
        self.inner = nn.Linear(config.width, config.rank, bias=False)
        self.outer = nn.Linear(config.rank, h, bias=False)
        nn.init.zeros_(self.outer.weight)

    def read(self, states: Tensor) -> Tensor:
        """The head's normed states of positions 1 … ``[..., n, hidden]``, for the gate: ``[..., n, width]``."""
        read: Tensor = self.state(states) + self.place[: states.shape[-2]]
        return read

    def said(self, embedded: Tensor) -> Tensor:
        """The token before, by its embedding ``[..., hidden]``, for the gate: ``[..., width]``."""
        said: Tensor = self.before(F.rms_norm(embedded, embedded.shape[-1:], eps=self.config.rms_norm_eps))
        return said

    def pull(self, read: Tensor, said: Tensor) -> Tensor:
        """What :meth:`rows` are multiplied with, ``[..., rank]``."""
        pull: Tensor = self.inner(F.silu(read + said))
        return pull

    def change(self, read: Tensor, said: Tensor, rows: Tensor) -> Tensor:
        """What is added to the logits of the cells with these ``rows [..., cells, rank]``: ``[..., cells]``."""
        return torch.einsum("...nr,...r->...n", rows, self.pull(read, said))

    def rows(self, head: EagleHead) -> Tensor:
        """One row for each token of the draft vocabulary, ``[draft_vocab, rank]``."""
        rows: Tensor = head.lm_head(self.outer.weight.T.to(head.dtype)).T
        return rows.float()

    def save(self, folder: Path) -> None:
        """Write fp16 weights with the config in the file's metadata."""
        make_folder(folder)
        state = {n: t.half().contiguous().cpu() for n, t in self.state_dict().items()}
        write_bytes(folder / WEIGHTS, save(state, {"format": "pt", "config": json.dumps(asdict(self.config))}))

    @classmethod
    def load(cls, folder: Path, drafter: BlockDrafter, device: str = "cpu") -> MarkovHead:
        """Read what :meth:`save` wrote, in float32.

        Raises:
            ReSpecError: if it is damaged, or was made for a block of another shape.
        """
        found = load_own(folder / WEIGHTS, cls, MarkovConfig)
        own, its = found.config, drafter.config
        if (own.hidden_size, own.block) != (its.hidden_size, its.block):
            raise ReSpecError(f"{folder / WEIGHTS} was made for a block of another shape; train it on this one again.")
        return found.to(device=device, dtype=torch.float32).eval().requires_grad_(False)

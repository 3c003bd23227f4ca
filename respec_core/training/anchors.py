"""What a trained block drafter guesses at places of the training texts, and what the target says there.

The drafter and everything below it are frozen while its Markov head is trained, so all of that is computed once and the
Markov head goes over it many times.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import torch
from safetensors.torch import load_file, save
from torch import Tensor

from respec_core.boundary.output import make_folder, write_bytes
from respec_core.methods.diffuspec.block_network import BlockDrafter
from respec_core.methods.diffuspec.markov_head import Cells
from respec_core.methods.eagle.head import EagleHead
from respec_core.training.batches import Batch
from respec_core.training.diffusion_training import block_starts, blocks_at
from respec_core.training.eagle_training import teacher
from respec_core.training.lean import LeanLlama, fast_attention
from respec_core.training.unroll import pick, read

ANCHORS = "markov-anchors"
KEPT_EVERY = 5  # batches that are kept, and told of, together


@dataclass(frozen=True)
class Anchors:
    """Blocks as their first pass fills them; ``n`` is ``block - 1``, position 0 being the head's own guess.

    Attributes:
        states: normed states ``[a, n, hidden]``, fp16.
        entries, logits, rest: of the cells ``[a, n, cells]``, fp16, and ``[a, n, 1]``, see :class:`Cells`.
        goal: the target's probabilities of the cells ``[a, n, cells]``, fp16, what is not there being the rest's.
        before: the text's token before each position ``[a, n]``.
        told: bool ``[a, n]``: the block was given that very token.
        inside: bool ``[a, n]``: the position is inside the text.
    """

    states: Tensor
    entries: Tensor
    logits: Tensor
    rest: Tensor
    goal: Tensor
    before: Tensor
    told: Tensor
    inside: Tensor

    def __len__(self) -> int:
        return len(self.states)

    def at(self, index: Tensor) -> Anchors:
        """Some of them."""
        return Anchors(*(getattr(self, f.name)[index] for f in fields(self)))

    @property
    def cells(self) -> Cells:
        """Their cells, in float32."""
        return Cells(self.entries.long(), self.logits.float(), self.rest)

    @classmethod
    def joined(cls, parts: list[Anchors]) -> Anchors:
        """One behind the other."""
        return cls(*(torch.cat([getattr(part, f.name) for part in parts]) for f in fields(cls)))

    def save(self, path: Path) -> None:
        """Write them."""
        write_bytes(path, save({f.name: getattr(self, f.name).contiguous() for f in fields(self)}))

    @classmethod
    def load(cls, path: Path, device: str) -> Anchors:
        """Read what :meth:`save` wrote."""
        return cls(**load_file(path, device))

    def shuffled(self, size: int, generator: torch.Generator) -> Iterator[Anchors]:
        """Endless batches of ``size``, each anchor once an epoch."""
        while True:
            order = torch.randperm(len(self), generator=generator)
            for index in order.split(size):
                yield self.at(index)


@torch.no_grad()
def first_pass(
    head: EagleHead, drafter: BlockDrafter, features: Tensor, batch: Batch, base: Tensor
) -> tuple[Tensor, Tensor]:
    """Blocks from ``base [rows, a]``: the head's guesses ``[rows, a]`` and normed states ``[rows, a, block, hidden]``."""
    states, cache = read(head, features, batch)
    state = pick(states, base)
    first = head.draft_to_target[head.logits(state).argmax(-1)].long()
    known = torch.zeros((*base.shape, drafter.config.block), dtype=torch.bool, device=base.device)
    known[..., 0] = True
    seen = torch.arange(states.shape[1], device=base.device) <= base[..., None]
    tokens = first[..., None].expand(known.shape)
    x = drafter.denoise(head, state, base, tokens, known, [cache, *drafter.context(states)], seen)
    return first, head.output_norm(x)


@dataclass(frozen=True)
class AnchorReader:
    """The frozen models that anchors are read with, and how.

    Attributes:
        cells: likeliest tokens of a position that are kept.
        stride: a block starts at every so many window positions.
    """

    target: LeanLlama
    head: EagleHead
    drafter: BlockDrafter
    cells: int
    stride: int

    def collect(
        self,
        stream: Iterator[Batch],
        wanted: int,
        seconds: float,
        generator: torch.Generator,
        folder: Path,
        report: Callable[[str], None],
    ) -> Anchors:
        """``wanted`` anchors from batches of texts, or as many as ``seconds`` allow.

        Args:
            folder: below it is kept what was read, ``KEPT_EVERY`` batches a file; these are not read again.
        """
        folder = folder / ANCHORS
        make_folder(folder)
        began, count = time.monotonic(), 0
        parts: list[Anchors] = []
        while count < wanted and (not parts or time.monotonic() - began < seconds):
            lots = [self._lot(next(stream), generator) for _ in range(KEPT_EVERY)]
            kept = folder / f"{len(parts):05}.safetensors"
            if not kept.is_file():
                Anchors.joined([self.anchors(*lot) for lot in lots]).save(kept)
            parts.append(Anchors.load(kept, str(self.target.device)))
            count += len(parts[-1])
            report(f"{count} anchors, {time.monotonic() - began:.0f} s")
        return Anchors.joined(parts)

    def _lot(self, batch: Batch, generator: torch.Generator) -> tuple[Batch, Tensor]:
        """A batch and the window columns that its blocks start at."""
        return batch, block_starts(batch.base.shape[1], self.stride, generator)

    @torch.no_grad()
    def anchors(self, batch: Batch, columns: Tensor) -> Anchors:
        """The blocks that start at these window columns, without padding."""
        target, head, block = self.target, self.head, self.drafter.config.block
        batch, columns = batch.to(target.device), columns.to(target.device)
        base, tokens, inside = blocks_at(batch, columns, block)
        there = inside[..., 0]
        row, start = there.nonzero(as_tuple=True)
        place = columns[start][:, None] + torch.arange(1, block, device=base.device)
        with fast_attention(target.device):
            hidden, features = target.forward(batch.tokens, features=head.config.feature_layers)
        with torch.autocast(target.device.type, target.dtype, enabled=target.dtype != torch.float32):
            first, normed = first_pass(head, self.drafter, features, batch, base)
            goal = teacher(target, hidden, batch, head.draft_to_target.long(), block)
            states = normed[there][:, 1:].contiguous()
            found = Cells.of(head.lm_head(states), self.cells)
        told = torch.zeros_like(inside[there][:, 1:])
        told[:, 0] = (tokens[..., 0] == first)[there]
        return Anchors(
            states=states.half(),
            entries=found.entries.int(),
            logits=found.logits.half(),
            rest=found.rest,
            goal=goal[row[:, None, None], place[..., None], found.entries].half(),
            before=tokens[there][:, :-1],
            told=told,
            inside=inside[there][:, 1:],
        )

"""A filled block whose positions hang on the token before, by its Markov head: a first-order chain, position by position.

The candidates of a position are the likeliest under the chain: its probabilities behind the ``MIXED`` likeliest of the
position before, weighed by what these have. So edges and candidates belong to one distribution, however many are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from respec_core.methods.diffuspec.denoiser import Filled
from respec_core.methods.diffuspec.linking import Linking
from respec_core.methods.diffuspec.markov_head import Cells, MarkovHead
from respec_core.methods.eagle.head import EagleHead


@dataclass(frozen=True)
class MarkovTables:
    """A Markov head with what it makes of every token of the draft vocabulary, which never changes.

    Attributes:
        said: as the token before ``[draft_vocab, width]``.
        rows: as the token that is guessed ``[draft_vocab, rank]``.
        tokens: ids in the target's vocabulary ``[draft_vocab]``, ascending.
        linking: what is made of a block with them, as :meth:`Linking.forward`.
    """

    markov: MarkovHead
    said: Tensor
    rows: Tensor
    tokens: Tensor
    linking: Callable[..., Any]

    @classmethod
    @torch.inference_mode()
    def of(cls, markov: MarkovHead, head: EagleHead) -> MarkovTables:
        """For the vocabulary of ``head``."""
        embedded = F.embedding(head.draft_to_target, head.embedding).float()
        said, rows = markov.said(embedded), markov.rows(head)
        return cls(markov, said, rows, head.draft_to_target, Linking.compiled(said, rows, markov.inner.weight))


class LinkedBlock:
    """One round's block.

    Args:
        first: log-probabilities of position 0 ``[draft_vocab]``; the block was given the likeliest, entry ``given``.
        states: normed states of the positions behind it ``[k - 1, hidden]``.
        logits: theirs ``[k - 1, draft_vocab]``.
    """

    def __init__(self, tables: MarkovTables, first: Tensor, given: Tensor, states: Tensor, logits: Tensor) -> None:
        self.tables, self.first, self.given, self.logits = tables, first, given, logits
        self.cells = Cells.of(logits, tables.markov.config.cells)
        self.read = tables.markov.read(states.float())

    def filled(self, width: int) -> Filled:
        """The ``width`` likeliest candidates of every position, and each one's probability behind every one before it."""
        cells = self.cells
        logits = torch.cat((cells.logits, cells.rest), dim=-1)  # the others are one more cell, which nothing changes
        entries, log_p, alone, edges = self.tables.linking(
            self.first, self.given, cells.entries, logits, self.read, width
        )
        sizes = [len(row) for row in entries]
        chances = _split(torch.cat(log_p).clamp_(max=0.0), sizes)
        return Filled(
            tokens=_split(self.tables.tokens[torch.cat(entries)], sizes),
            log_p=chances,
            rows=self.logits[:0],  # they hang on the path, see along
            alone=(chances[0], *_split(torch.cat(alone), sizes[1:])) if alone else chances,
            edges=(np.empty((0, sizes[0]), np.float32), *(rows.cpu().numpy() for rows in edges)),
            along=self.along,
        )

    def along(self, path: Sequence[int]) -> Tensor:
        """Log-probabilities ``[len(path), draft_vocab]`` of the positions that hold these tokens, each behind the one before."""
        before = torch.searchsorted(self.tables.tokens, torch.tensor(path[:-1], device=self.first.device))
        rows = [self.first]
        for i, entry in enumerate(before):
            change = self.tables.rows[self.cells.entries[i]] @ self._pull(i, entry[None])[0]
            rows.append(self.logits[i].index_add(0, self.cells.entries[i], change).log_softmax(-1))
        return torch.stack(rows)

    def _pull(self, i: int, before: Tensor) -> Tensor:
        """What the entries ``before [n]`` do to the rows of position ``i + 1``, ``[n, rank]``; nothing the one it was given."""
        pull = self.tables.markov.pull(self.read[i], self.tables.said[before])
        return pull * (before != self.given)[:, None] if i == 0 else pull


def _split(row: Tensor, sizes: Sequence[int]) -> tuple[tuple[Any, ...], ...]:
    """Its entries, so many at a time."""
    entries = iter(row.tolist())
    return tuple(tuple(islice(entries, size)) for size in sizes)

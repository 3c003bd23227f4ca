"""A filled block whose positions hang on the token before, by its Markov head: a first-order chain, position by position.

The candidates of a position are the likeliest under the chain: its probabilities behind the ``MIXED`` likeliest of the
position before, weighed by what these have. So edges and candidates belong to one distribution, however many are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from respec_core.methods.diffuspec.denoiser import Filled
from respec_core.methods.diffuspec.lattice import MIXED
from respec_core.methods.diffuspec.markov_head import Cells, MarkovHead
from respec_core.methods.eagle.head import EagleHead


@dataclass(frozen=True)
class MarkovTables:
    """A Markov head with what it makes of every token of the draft vocabulary, which never changes.

    Attributes:
        said: as the token before ``[draft_vocab, width]``.
        rows: as the token that is guessed ``[draft_vocab, rank]``.
        tokens: ids in the target's vocabulary ``[draft_vocab]``, ascending.
    """

    markov: MarkovHead
    said: Tensor
    rows: Tensor
    tokens: Tensor

    @classmethod
    @torch.inference_mode()
    def of(cls, markov: MarkovHead, head: EagleHead) -> MarkovTables:
        """For the vocabulary of ``head``."""
        embedded = F.embedding(head.draft_to_target, head.embedding).float()
        return cls(markov, markov.said(embedded), markov.rows(head), head.draft_to_target)


class LinkedBlock:
    """One round's block.

    Args:
        first: log-probabilities of position 0 ``[draft_vocab]``; the block was given the likeliest.
        states: normed states of the positions behind it ``[k - 1, hidden]``.
        logits: theirs ``[k - 1, draft_vocab]``.
    """

    def __init__(self, tables: MarkovTables, first: Tensor, states: Tensor, logits: Tensor) -> None:
        self.tables, self.first, self.logits = tables, first, logits
        self.given = first.argmax()
        self.cells = Cells.of(logits, tables.markov.config.cells)
        self.read = tables.markov.read(states.float())

    def filled(self, width: int) -> Filled:
        """The ``width`` likeliest candidates of every position, and each one's probability behind every one before it."""
        wide = max(width, MIXED)
        log_p, entries = self.first.topk(min(wide, len(self.first)))
        found = [(entries, log_p, log_p, log_p[:0, None])]  # nothing is before the first position
        for i in range(len(self.logits)):
            cells, change = self._behind(i, entries)
            linked = cells.conditional(change).logits.clamp(max=0.0)
            mixed = (log_p[:MIXED].log_softmax(-1)[:, None] + linked[:MIXED]).logsumexp(0).clamp(max=0.0)
            log_p, order = mixed.topk(min(wide, len(mixed)))
            entries = cells.entries[order]
            alone = cells.conditional(torch.zeros_like(cells.logits)).logits
            found.append((entries, log_p, alone[order], linked[:, order]))
        found = [(e[:width], p[:width], a[:width], edges[:width, :width]) for e, p, a, edges in found]
        rows = torch.cat((self.first[None], self.logits.log_softmax(-1)))
        return Filled(
            tokens=tuple(tuple(self.tables.tokens[entries].tolist()) for entries, *_ in found),
            log_p=tuple(tuple(log_p.tolist()) for _, log_p, *_ in found),
            rows=rows,
            alone=tuple(tuple(alone.tolist()) for *_, alone, _ in found),
            edges=tuple(tuple(map(tuple, edges.tolist())) for *_, edges in found),
            along=self.along,
        )

    def along(self, path: Sequence[int]) -> Tensor:
        """Log-probabilities ``[len(path), draft_vocab]`` of the positions that hold these tokens, each behind the one before."""
        before = torch.searchsorted(self.tables.tokens, torch.tensor(path[:-1], device=self.first.device))
        rows = [self.first]
        for i, entry in enumerate(before):
            cells, change = self._behind(i, entry[None])
            rows.append(self.logits[i].index_add(0, cells.entries, change[0]).log_softmax(-1))
        return torch.stack(rows)

    def _behind(self, i: int, before: Tensor) -> tuple[Cells, Tensor]:
        """The cells of position ``i + 1``, and what is added to each of them behind the entries ``before [n]``: ``[n, cells]``."""
        cells = Cells(self.cells.entries[i], self.cells.logits[i], self.cells.rest[i])
        change = self.tables.markov.change(self.read[i], self.tables.said[before], self.tables.rows[cells.entries])
        return cells, change * (before != self.given)[:, None] if i == 0 else change

"""RAPID (arXiv 2502.20330; code: John-AI-Lab/RAPID): the target drafts for itself, on a shortened context.

A long context makes every forward dear. The drafter is the same model behind the prompt's most relevant pieces alone, with a
cache of its own; the target, behind all of it, verifies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch

from respec_core.engine.drafting import Context, Draft, Drafter, Round
from respec_core.engine.pieces import Pieces
from respec_core.engine.routing import Always, Router
from respec_core.engine.transfer import Transfer
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.methods.parts.model_drafter import chain_of
from respec_core.methods.rapid.chunks import Shortened, shortened
from respec_core.methods.rapid.record import MOST_PULLED, Pulled, PulledRow, Shortening
from respec_core.methods.rapid.settings import RapidSettings
from respec_core.methods.resources import Models
from respec_core.models.language_model import LanguageModel
from respec_core.trace.record import MethodRecord
from respec_core.trace.round import Hit


def build(settings: RapidSettings, models: Models) -> Router:
    """Ask the target, behind less, every round.

    Raises:
        ReSpecError: on a record of a target, which cannot draft.
    """
    if not isinstance(models.target, LanguageModel):
        raise ReSpecError(
            "rapid drafts with the target itself, which an atlas does not hold: decode it with `respec bench`."
        )
    return Always(
        RapidDrafter(settings, chain_of(models.target, settings.draft_len, settings.confidence_stop)), "model"
    )


@dataclass
class ShortenedDraft:
    """A round until the target has spoken; the extension of its draft. ``candidates`` of a row are ids with p and q."""

    context: Context
    draft: Draft
    short: Shortened
    first: bool
    eta: float
    rows: list[tuple[PulledRow, list[tuple[int, float, float]]]] = field(default_factory=list)

    def records(self, path: Sequence[int], tree: DraftTree, pieces: Pieces) -> Mapping[str, MethodRecord]:
        """The trace's ``rapid``."""
        rows = tuple(
            row.model_copy(
                update={
                    "candidates": tuple(
                        Pulled.model_construct(token=token, text=pieces.piece(token), p=p, q=q) for token, p, q in found
                    )
                }
            )
            for row, found in self.rows
        )
        chunks = self.short.chunks if self.first else ()
        record = Shortening.model_construct(read=len(self.short.ids), chunks=chunks, rows=rows, eta=self.eta)
        return {"rapid": record}


class RapidDrafter(Drafter):
    """Its chain drafter reads the shortened prompt and all that was written."""

    def __init__(self, settings: RapidSettings, chain: Drafter) -> None:
        self.settings = settings
        self.chain = chain
        self.transfer = Transfer(settings.eta, settings.alpha)
        self.short = Shortened((), ())
        self._open: ShortenedDraft | None = None
        self._rounds = 0

    def begin(self, prompt: Sequence[int]) -> None:
        """Choose the pieces once, and read them."""
        self.short = shortened(prompt, self.settings)
        self.chain.begin(self.short.ids)

    def propose(self, context: Context) -> Draft:
        """The chain's draft behind the shortened context."""
        ids = (*self.short.ids, *context.ids[context.prompt_len :])
        draft = self.chain.propose(replace(context, ids=ids, prompt_len=len(self.short.ids)))
        reason = f"{draft.reason}, behind {len(self.short.ids)} of {context.prompt_len} prompt tokens"
        pull = self.transfer if self.settings.eta and draft.distributions else None
        self._open = ShortenedDraft(context, draft, self.short, self._rounds == 0, self.settings.eta)
        self._rounds += 1
        return replace(draft, reason=reason, transfer=pull, extension=self._open)

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Of sampled drafts, what p and q were where the target judged."""
        if self._open is not None and not self._open.context.sampler.greedy:
            self._open.rows = [*self._rows(self._open, round)]
        return ()

    def _rows(self, opened: ShortenedDraft, round: Round) -> list[tuple[PulledRow, list[tuple[int, float, float]]]]:
        written = round.ids[: len(round.ids) - len(round.emitted)]
        rows = []
        for depth, node in enumerate((0, *round.path)):
            q, kids = opened.draft.distributions.get(node), round.tree.children[node]
            if q is None or not kids:
                break
            token = round.tree.tokens[kids[0]]
            seen = [*written, *(round.tree.tokens[i] for i in round.path[:depth])]
            p = opened.context.sampler.distribution(round.logits[node], seen)
            rows.append(self._row(kids[0], token, p, q))
        return rows

    def _row(
        self, node: int, token: int, p: torch.Tensor, q: torch.Tensor
    ) -> tuple[PulledRow, list[tuple[int, float, float]]]:
        pulled = self.transfer.pulled(p, q)
        moved = int((q >= self.settings.alpha * q.max()).sum())
        best = q.topk(min(moved, MOST_PULLED)).indices.tolist()
        row = PulledRow.model_construct(
            node=node,
            p=float(p[token]),
            q=float(q[token]),
            pulled=float(pulled[token]),
            candidates=(),
            whole=moved <= MOST_PULLED,
        )
        return row, [(i, float(p[i]), float(q[i])) for i in best]

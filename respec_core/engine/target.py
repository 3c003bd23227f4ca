"""What the engine asks of whoever judges drafts; models implement it, and so does a text that is known already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from respec_core.engine.pieces import Pieces
from respec_core.engine.tree import DraftTree
from respec_core.trace.cost_curve import CostCurve


@dataclass(frozen=True)
class Output:
    """What one forward gives.

    Attributes:
        logits: float32 ``[n, vocab]``, one row a node.
        hidden: layer index to ``[n, width]`` for the layers asked for (0 is the embedding, -1 the last, normed).
    """

    logits: torch.Tensor
    hidden: dict[int, torch.Tensor]


class TargetSession(Protocol):
    """State of one sequence."""

    def prefill(self, ids: Sequence[int]) -> Iterator[tuple[int, dict[int, torch.Tensor]]]:
        """Feed ``ids`` in chunks and commit them; yields (tokens fed so far, hidden states of the chunk)."""

    def forward(self, tree: DraftTree) -> Output:
        """One forward over all nodes of ``tree``; nothing is committed until :meth:`keep`."""

    def keep(self, rows: Sequence[int]) -> None:
        """Commit these nodes of the last forward (a root path, ascending)."""


class Target(Protocol):
    """A language model: its limits, and fresh sessions of it."""

    @property
    def name(self) -> str:
        """As sentences name it."""

    @property
    def vocab_size(self) -> int:
        """Token ids are below."""

    @property
    def max_context(self) -> int:
        """Most tokens a run may hold."""

    @property
    def eos_ids(self) -> frozenset[int]:
        """Token ids that end a text."""

    @property
    def device(self) -> torch.device:
        """Where it computes."""

    def session(self, capacity: int, layers: Sequence[int] = ()) -> TargetSession:
        """A fresh sequence with room for ``capacity`` tokens; ``layers`` are the hidden states to hand out."""


class Loaded(Protocol):
    """What a run decodes with: the target, how its tokens read, what it costs, and what the trace says of all that."""

    @property
    def target(self) -> Target:
        """Who judges drafts."""

    @property
    def pieces(self) -> Pieces:
        """How its tokens read."""

    @property
    def costs(self) -> CostCurve:
        """What its forwards cost here."""

    def describe(self) -> dict[str, Any]:
        """For the trace."""

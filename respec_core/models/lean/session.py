"""One run's view of a lean network: its cache, prefill, and forwards over draft trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from respec_core.engine.target import Output
from respec_core.engine.tree import DraftTree
from respec_core.models.lean.cache import RowCache
from respec_core.models.lean.network import LeanNetwork
from respec_core.models.session import PREFILL_CHUNK

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel


class LeanSession:
    """State of one sequence, as :class:`~respec_core.models.session.Session` has it. Close by dropping it."""

    def __init__(self, model: LanguageModel, network: LeanNetwork, cache: RowCache, layers: Sequence[int] = ()) -> None:
        self.model, self.network = model, network
        self.layers = tuple(layers)
        self.cache = cache

    @property
    def length(self) -> int:
        """Tokens committed to the cache."""
        return self.cache.length

    @torch.inference_mode()
    def prefill(self, ids: Sequence[int], chunk: int = PREFILL_CHUNK) -> Iterator[tuple[int, dict[int, torch.Tensor]]]:
        """Feed ``ids`` chunk by chunk and commit them; yields (tokens fed so far, hidden states of the chunk)."""
        for start in range(0, len(ids), chunk):
            part = ids[start : start + chunk]
            positions = range(self.length, self.length + len(part))
            seen = self.network.forward(part, positions, self.cache, None, self.layers, prompt=True)
            self.keep(range(len(part)))
            yield start + len(part), seen.layers

    def forward(self, tree: DraftTree) -> Output:
        """One forward over all nodes of ``tree``; nothing is committed until :meth:`keep`."""
        positions = [self.length + depth for depth in tree.depths]
        return self.forward_nodes(tree.tokens, positions, tree.ancestor_mask() if len(tree) > 1 else None)

    @torch.inference_mode()
    def forward_nodes(self, tokens: Sequence[int], positions: Sequence[int], visible: np.ndarray | None) -> Output:
        """Forward over nodes given as arrays, as :meth:`~respec_core.models.session.Session.forward_nodes`."""
        seen_by = None if visible is None else torch.from_numpy(visible)
        seen = self.network.forward(tokens, positions, self.cache, seen_by, self.layers)
        return Output(self.model.scores(self.network.logits(seen.last)), seen.layers)

    @torch.inference_mode()
    def keep(self, rows: Sequence[int]) -> None:
        """Commit these nodes of the last forward (a root path, ascending)."""
        self.cache.keep(rows)

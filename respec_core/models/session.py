"""One run's view of a model: its cache, prefill, and forwards over draft trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from respec_core.engine.target import Output
from respec_core.engine.tree import DraftTree
from respec_core.models.tree_cache import TreeCache

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel

PREFILL_CHUNK = 512


class Session:
    """State of one sequence in one model. Close by dropping it; nothing else holds its memory."""

    def __init__(self, model: LanguageModel, capacity: int, layers: Sequence[int] = ()) -> None:
        self.model = model
        self.layers = tuple(layers)
        self.cache = TreeCache(model.n_layers, capacity)
        self._network: Any = model.network

    @property
    def length(self) -> int:
        """Tokens committed to the cache."""
        return self.cache.length

    def prefill(self, ids: Sequence[int], chunk: int = PREFILL_CHUNK) -> Iterator[tuple[int, dict[int, torch.Tensor]]]:
        """Feed ``ids`` chunk by chunk and commit them; yields (tokens fed so far, hidden states of the chunk)."""
        for start in range(0, len(ids), chunk):
            part = ids[start : start + chunk]
            positions = range(self.length, self.length + len(part))
            result = self._call(self._network.base_model, part, positions, None)  # nobody reads logits here
            self.keep(range(len(part)))
            yield start + len(part), self._hidden(result)

    def forward(self, tree: DraftTree) -> Output:
        """One forward over all nodes of ``tree``; nothing is committed until :meth:`keep`."""
        positions = [self.length + depth for depth in tree.depths]
        return self.forward_nodes(tree.tokens, positions, tree.ancestor_mask() if len(tree) > 1 else None)

    def forward_nodes(self, tokens: Sequence[int], positions: Sequence[int], visible: np.ndarray | None) -> Output:
        """Forward over nodes given as arrays.

        Args:
            tokens: ids, ``[n]``.
            positions: absolute position of each, ``[n]``.
            visible: bool ``[n, m]`` with m ≥ n: which of the last m cache rows, the new ones included, each node
                sees; rows before those are seen by all. None: a single node that sees everything.
        """
        mask = None
        if visible is not None:
            n, m = visible.shape
            columns = self.length + n
            mask = torch.ones((1, 1, n, columns), dtype=torch.bool)
            mask[0, 0, :, columns - m :] = torch.from_numpy(visible)
            mask = self._attention_mask(mask.to(self.model.device))
        result = self._call(self._network, tokens, positions, mask)
        return Output(self.model.scores(result.logits[0]), self._hidden(result))

    def _attention_mask(self, visible: torch.Tensor) -> torch.Tensor:
        """As the attention reads it: fused kernels take booleans, code written out adds the mask to its scores."""
        if self.model.attention == "sdpa":
            return visible
        dtype = self.model.network.dtype
        return torch.zeros(visible.shape, dtype=dtype, device=visible.device).masked_fill(
            ~visible, torch.finfo(dtype).min
        )

    @torch.inference_mode()
    def keep(self, rows: Sequence[int]) -> None:
        """Commit these nodes of the last forward (a root path, ascending)."""
        self.cache.keep(rows)

    @torch.inference_mode()
    def _call(self, network: Any, tokens: Sequence[int], positions: Sequence[int], mask: torch.Tensor | None) -> Any:
        device = self.model.device
        return network(
            input_ids=torch.tensor([list(tokens)], device=device),
            position_ids=torch.tensor([list(positions)], device=device),
            attention_mask=mask,
            cache=self.cache,
            use_cache=True,
            output_hidden_states=bool(self.layers),
        )

    def _hidden(self, result: Any) -> dict[int, torch.Tensor]:
        return {layer: result.hidden_states[layer][0] for layer in self.layers}

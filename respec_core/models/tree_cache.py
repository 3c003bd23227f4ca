"""A key/value cache that holds a draft tree behind the committed prefix and keeps only what was accepted.

Subclasses the transformers cache, so that any standard full-attention decoder uses it unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers.cache_utils import Cache, CacheLayerMixin

from respec_core.models.cache_rows import with_room


class TreeLayer(CacheLayerMixin):
    """One layer's keys and values, ``[1, heads, rows, head_dim]``, allocated once for the run if ``capacity`` was enough.

    A forward writes its rows behind ``length`` and does not move it; :meth:`keep` then commits some of them.
    """

    is_sliding = False
    is_croppable = True
    is_compileable = False

    def __init__(self, capacity: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # transformers annotates in part
        self.capacity = capacity
        self.length = 0

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Allocate on the device and with the head shapes of the first states seen."""
        self.device = key_states.device
        self.keys = key_states.new_zeros((*key_states.shape[:2], self.capacity, key_states.shape[-1]))
        self.values = value_states.new_zeros((*value_states.shape[:2], self.capacity, value_states.shape[-1]))
        self.is_initialized = True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write ``[1, heads, q, dim]`` behind the committed rows; return views of committed and written rows."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        assert self.keys is not None and self.values is not None
        end = self.length + key_states.shape[-2]
        self.keys, self.values = with_room(self.keys, end), with_room(self.values, end)
        self.keys[:, :, self.length : end] = key_states
        self.values[:, :, self.length : end] = value_states
        return self.keys[:, :, :end], self.values[:, :, :end]

    def keep(self, rows: Sequence[int]) -> None:
        """Commit ``rows`` (ascending, counted from the first uncommitted row); forget the other written rows."""
        moved = next((i for i, row in enumerate(rows) if row != i), len(rows))
        if moved < len(rows) and self.keys is not None and self.values is not None:
            source = torch.tensor(rows[moved:], device=self.keys.device) + self.length
            target = slice(self.length + moved, self.length + len(rows))
            self.keys[:, :, target] = self.keys[:, :, source]
            self.values[:, :, target] = self.values[:, :, source]
        self.length += len(rows)

    def crop(self, tokens_to_remove: int) -> None:
        """Forget the last ``-tokens_to_remove`` committed rows (transformers' sign convention: negative)."""
        if tokens_to_remove > 0:
            raise ValueError("crop takes a negative number of tokens to remove")
        self.length = max(0, self.length + tokens_to_remove)

    def get_seq_length(self) -> int:
        """Committed rows."""
        return self.length

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Columns and offset of an attention mask for ``query_length`` new rows."""
        return self.length + query_length, 0

    def get_max_length(self) -> int:
        """-1: it grows when needed."""
        return -1

    def reset(self) -> None:
        """Forget everything, keep the memory."""
        self.length = 0


class TreeCache(Cache):
    """All layers' :class:`TreeLayer`; one per run."""

    def __init__(self, layers: int, capacity: int) -> None:
        self.tree_layers = [TreeLayer(capacity) for _ in range(layers)]
        super().__init__(layers=list(self.tree_layers))

    @property
    def length(self) -> int:
        """Committed rows, the same in every layer."""
        return self.tree_layers[0].length

    def keep(self, rows: Sequence[int]) -> None:
        """Commit ``rows`` of the last forward in every layer (see :meth:`TreeLayer.keep`)."""
        for layer in self.tree_layers:
            layer.keep(rows)

    def crop(self, tokens_to_remove: int) -> None:
        """Forget the last committed rows in every layer; takes a negative number."""
        for layer in self.tree_layers:
            layer.crop(tokens_to_remove)

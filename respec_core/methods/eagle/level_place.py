"""A head's rows that stay where they are, and one step over them for every size of a level."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch.nn.functional as F
from torch import Tensor

from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.eagle.rows import MAX_DRAFT_ROWS, HeadRows
from respec_core.methods.eagle.session import Level
from respec_core.methods.parts.rotary import rotate
from respec_core.models.lean.block import Block
from respec_core.models.lean.launching import LaunchedSteps, Launches

SIZES = (4, 8, 10, 16, 32)  # 10 is the width of the authors' trees


class LevelPlace:
    """Levels are padded to the next of ``SIZES`` and attend to all rows, masked; as targets' blocks do (``lean/place.py``)."""

    def __init__(self, head: EagleHead, capacity: int, launches: Launches) -> None:
        self.head, self.rows = head, HeadRows(head, capacity)
        self._launches = launches
        self._settle()

    @property
    def capacity(self) -> int:
        """Rows that there is room for."""
        return self.rows.capacity

    def clear(self) -> None:
        """Forget everything, keep the memory and what was launched over it."""
        self.rows.clear()

    def grow(self, parents: Sequence[int], tokens: Sequence[int], length: int, level: Level) -> Tensor | None:
        """Log-probabilities ``[m, draft_vocab]`` of what follows new drafted rows, to be read before the next level.

        None where a level of this size is not launched as one.

        Args:
            parents: index among the drafted rows, or -1.
            length: committed rows.
        """
        m, first = len(tokens), level.first
        size = next((size for size in SIZES if size >= m), None)
        if size is None or self._launches.refuses(size) or first + size > MAX_DRAFT_ROWS:
            return None
        self.rows.make_room(length + first + size)
        if self.rows.keys is not self._keys:
            self._settle()
        if size not in self._blocks:
            self._blocks[size] = Block(5, size, self.capacity, self.head.device)
        block, padding = self._blocks[size], [0] * (size - m)
        own = range(first, first + size)
        above = [parent if parent >= 0 else MAX_DRAFT_ROWS for parent in parents]
        numbers = (
            [*tokens, *padding],
            [*above, *[MAX_DRAFT_ROWS] * len(padding)],
            [*level.positions, *padding],
            own,
            range(length + first, length + first + size),
        )
        block.fill(numbers, length + first + m, level.seen)
        result = self._steps.run(
            size, partial(_step, self.head, self.rows.keys, self.rows.values, self.rows.states, block)
        )
        return None if result is None else result[:m]

    def _settle(self) -> None:
        """Where the rows are now."""
        self._keys, self._steps = self.rows.keys, LaunchedSteps(self._launches)
        self._blocks: dict[int, Block] = {}


def _step(head: EagleHead, keys: Tensor, values: Tensor, states: Tensor, block: Block) -> Tensor:
    """All that a level computes of a block's inputs; the same kernels every time."""
    tokens, parents, positions, own, places = block.numbers
    residual, x = head.inputs(states.index_select(0, parents), tokens)
    q, k, v = head.heads(x)
    keys.index_copy_(1, places, rotate(k, positions, head.inv_freq))
    values.index_copy_(1, places, v)
    attended = F.scaled_dot_product_attention(
        rotate(q, positions, head.inv_freq)[None], keys[None], values[None], attn_mask=block.visible, enable_gqa=True
    )
    new = head.finish(residual, attended[0])
    states.index_copy_(0, own, new)
    return head.log_p(new)

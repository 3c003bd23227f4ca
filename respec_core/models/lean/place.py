"""A cache that stays where it is, and one forward over it for every size of block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from torch import Tensor

from respec_core.models.lean.attention import few
from respec_core.models.lean.block import Block
from respec_core.models.lean.capturing import Launch, Result, Step
from respec_core.models.lean.network import LeanNetwork

SIZES = (1, 4, 8, 16, 32, 64, 128)
LARGEST = SIZES[-1]


class Place:
    """Blocks are padded to the next of ``SIZES`` and attend to all of the cache, masked: few shapes, each launched as one.

    Nothing is committed by a forward, as in a cache that grows. Where the cache must grow after all, everything is launched anew.

    Args:
        launches: makes what launches the steps over one cache.
    """

    def __init__(self, network: LeanNetwork, capacity: int, launches: Callable[[], Launch]) -> None:
        self.network, self.cache = network, network.cache(capacity)
        self._launches = launches
        self._settle()

    def forward(self, tokens: Sequence[int], positions: Sequence[int], visible: np.ndarray | None) -> Result:
        """Logits ``[n, rows of the head]`` and every hidden state ``[n, width]`` by its index, to be copied before the next.

        Args:
            tokens: at most ``LARGEST``; all as :meth:`~respec_core.models.lean.session.LeanSession.forward_nodes` has it.
        """
        n, cache = len(tokens), self.cache
        size = next(size for size in SIZES if size >= n)
        cache.make_room(size)
        if cache.rows is not self._rows:
            self._settle()
        if size not in self._blocks:
            self._blocks[size] = Block(size, cache.capacity, self.network.shape.head_dim // 2, self.network.device)
        block = self._blocks[size]
        block.fill(tokens, self.network.rotations.at(positions), cache.length, visible)
        if size not in self._steps:
            self._steps[size] = self._launch(partial(_step, self.network, self._rows, block))
        logits, states = self._steps[size]()
        return logits[:n], {index: state[:n] for index, state in states.items()}

    def _settle(self) -> None:
        """Where the cache is now."""
        self._rows, self._launch = self.cache.rows, self._launches()
        self._blocks: dict[int, Block] = {}
        self._steps: dict[int, Step] = {}


def _step(network: LeanNetwork, rows: Tensor, block: Block) -> Result:
    """All that a forward computes of a block's inputs; the same kernels every time."""
    tokens, places = block.numbers
    mask = network.mask(block.visible)

    def attend(own: Tensor, queries: Tensor, new: Tensor) -> Tensor:
        own.index_copy_(1, places, new.transpose(0, 1).to(own.dtype))
        return few(queries, own, mask, network.attention_dtype)

    seen = network.through(tokens, block.turns, rows, attend, range(network.shape.layers + 1))
    return network.logits(seen.last), seen.layers

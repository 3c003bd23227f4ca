"""A cache that stays where it is, and one forward over it for every size of block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from respec_core.models.lean.attention import few
from respec_core.models.lean.block import Block
from respec_core.models.lean.launching import LaunchedSteps, Launches
from respec_core.models.lean.network import LeanNetwork

SIZES = (1, 4, 8, 16, 32, 64, 128)
LARGEST = SIZES[-1]
Result = tuple[Tensor, dict[int, Tensor]]


class BlockPlace:
    """Blocks are padded to the next of ``SIZES`` and attend to all of the cache, masked: few shapes, each launched as one.

    Nothing is committed by a forward, as in a cache that grows. Where the cache must grow after all, everything is launched anew.
    """

    def __init__(self, network: LeanNetwork, capacity: int, launches: Launches) -> None:
        self.network, self.cache = network, network.cache(capacity)
        self._launches = launches
        self._settle()

    @property
    def capacity(self) -> int:
        """Rows that there is room for."""
        return self.cache.capacity

    def clear(self) -> None:
        """Forget everything, keep the memory and what was launched over it."""
        self.cache.clear()

    def forward(self, tokens: Sequence[int], positions: Sequence[int], visible: np.ndarray | None) -> Result | None:
        """Logits ``[n, rows of the head]`` and every hidden state ``[n, width]`` by its index, to be copied before the next.

        None where a block of this size is not launched as one: larger than ``LARGEST``, or it could not be.

        Args:
            tokens: as all of these :meth:`~respec_core.models.lean.session.LeanSession.forward_nodes` has them.
        """
        n, cache = len(tokens), self.cache
        size = next((size for size in SIZES if size >= n), None)
        if size is None or self._launches.refuses(size):
            return None
        cache.make_room(size)
        if cache.rows is not self._rows:
            self._settle()
        block, turns = self._inputs(size)
        block.fill(([*tokens, *[0] * (size - n)], range(cache.length, cache.length + size)), cache.length + n, visible)
        turns[:n].copy_(self.network.rotations.at(positions))
        result = self._steps.run(size, partial(_step, self.network, self._rows, block, turns))
        if result is None:
            return None
        logits, states = result
        return logits[:n], {index: state[:n] for index, state in states.items()}

    def _inputs(self, size: int) -> tuple[Block, Tensor]:
        """Token ids and cache rows in a block; and beside it what turns their heads, ``[size, head_dim / 2]`` complex."""
        if size not in self._blocks:
            pairs, device = self.network.shape.head_dim // 2, self.network.device
            turns = torch.zeros((size, pairs), dtype=torch.complex64, device=device)
            self._blocks[size] = Block(2, size, self.capacity, device), turns
        return self._blocks[size]

    def _settle(self) -> None:
        """Where the cache is now."""
        self._rows, self._steps = self.cache.rows, LaunchedSteps(self._launches)
        self._blocks: dict[int, tuple[Block, Tensor]] = {}


def _step(network: LeanNetwork, rows: Tensor, block: Block, turns: Tensor) -> Result:
    """All that a forward computes of a block's inputs; the same kernels every time."""
    tokens, places = block.numbers
    mask = network.mask(block.visible)

    def step(number: int, x: Tensor, turns: Tensor) -> Tensor:
        layer, own = network.weights.layers[number], rows[number]
        queries, new = layer.project(x, turns)
        own.index_copy_(1, places, new.transpose(0, 1).to(own.dtype))
        return layer.finish(x, few(queries, own, mask, network.attention_dtype))

    seen = network.through(tokens, turns, network.one_by_one(step), range(network.shape.layers + 1))
    return network.logits(seen.last), seen.layers

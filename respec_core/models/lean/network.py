"""The lean forward: one loop over the layers of a Llama-like decoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from respec_core.models.lean.attention import many
from respec_core.models.lean.cache import RowCache
from respec_core.models.lean.layer import OutputHead
from respec_core.models.lean.projection import normed
from respec_core.models.lean.rotations import Rotations
from respec_core.models.lean.scripting import scripted
from respec_core.models.lean.sending import sent
from respec_core.models.lean.shape import Shape
from respec_core.models.lean.stack import LayerStack
from respec_core.models.lean.weights import Weights

# Of a layer's number, its input ``[n, width]`` and what turns the heads: its output.
LayerStep = Callable[[int, Tensor, Tensor], Tensor]
# Of the first layer's input and what turns the heads: the layers' outputs, the last one's last.
AllLayers = Callable[[Tensor, Tensor], list[Tensor]]


@dataclass(frozen=True)
class HiddenStates:
    """Hidden states of a forward: ``last [n, width]`` before the final norm, and ``layers`` by the index asked for."""

    last: Tensor
    layers: dict[int, Tensor]


class LeanNetwork:
    """Weights with the forward over them; read-only, shared by all sessions.

    Attributes:
        kind: ``fp32``, ``bf16``, ``fp16`` or ``int8``.
        exact: whether attention of a few tokens is computed in fp64, as ``int8`` needs to be exact to the bit.
    """

    def __init__(self, shape: Shape, weights: Weights, rotations: Rotations, kind: str) -> None:
        self.shape, self.weights, self.rotations, self.kind = shape, weights, rotations, kind
        self.exact = kind == "int8"
        self.dtype = weights.norm.weight.dtype
        self.device = weights.norm.weight.device
        self._scale = shape.head_dim**-0.5
        self.stack: Callable[..., list[Tensor]] = scripted(LayerStack(weights.layers), self.device)
        self._head: Callable[..., Tensor] = scripted(OutputHead(weights.norm, weights.head), self.device)

    def cache(self, capacity: int) -> RowCache:
        """Room for ``capacity`` tokens."""
        return RowCache(self.shape, capacity, torch.float64 if self.exact else self.dtype, self.device)

    def forward(
        self,
        tokens: Sequence[int],
        positions: Sequence[int],
        cache: RowCache,
        visible: Tensor | None,
        layers: Sequence[int] = (),
        *,
        prompt: bool = False,
    ) -> HiddenStates:
        """Hidden states of ``tokens`` behind the committed rows; their keys and values are written, not committed.

        Args:
            positions: absolute position of each, ``[n]``.
            visible: bool ``[n, m]``: which of the last ``m`` rows, the new ones included, each token sees; rows before
                those are seen by all. None: all see everything.
            layers: which hidden states to hand out (0 the embedding, -1 the last, normed).
            prompt: a chunk of the prompt, in which each token sees those before it; ``visible`` is not looked at.
        """
        n = len(tokens)
        cache.make_room(n)
        start, end = cache.length, cache.length + n
        rows = cache.rows[:, :, :end]
        mask = self._prompt_mask(n, end) if prompt else self.mask(visible)

        def at_once(x: Tensor, turns: Tensor) -> list[Tensor]:
            return self.stack(x, turns, rows, start, mask, self.attention_dtype)

        def step(number: int, x: Tensor, turns: Tensor) -> Tensor:
            layer, seen = self.weights.layers[number], rows[number]
            queries, new = layer.project(x, turns)
            seen[:, start:].copy_(new.transpose(0, 1))
            return layer.finish(x, many(queries, seen.to(self.dtype), mask))

        run = self.one_by_one(step, all_states=bool(layers)) if prompt else at_once
        return self.through(sent(tokens, self.device), self.rotations.at(positions), run, layers)

    def through(self, tokens: Tensor, turns: Tensor, run: AllLayers, layers: Sequence[int] = ()) -> HiddenStates:
        """The forward but for the cache, all of its input on the device.

        Args:
            tokens: ids, ``[n]``.
            turns: complex, of their positions, ``[n, head_dim / 2]``.
            run: the layers.
            layers: as of :meth:`forward`.
        """
        x = self.weights.embedding[tokens].to(self.dtype)
        states = [x, *run(x, self._turns(turns))]
        last = states[-1]
        if layers:
            states[-1] = normed(last, self.weights.norm)
        return HiddenStates(last, {layer: states[layer] for layer in layers})

    def one_by_one(self, step: LayerStep, *, all_states: bool = True) -> AllLayers:
        """The layers as Python calls them; without ``all_states`` the last one's output alone."""

        def run(x: Tensor, turns: Tensor) -> list[Tensor]:
            states = [x]
            for number in range(self.shape.layers):
                states.append(step(number, states[-1], turns))
                if not all_states:
                    del states[0]
            return states[1:] if all_states else states

        return run

    def logits(self, last: Tensor) -> Tensor:
        """``[n, rows of the head]`` of hidden states before the final norm."""
        return self._head(last)

    @property
    def attention_dtype(self) -> torch.dtype:
        """What attention of a few tokens is computed in."""
        return torch.float64 if self.exact else torch.float32

    def mask(self, visible: Tensor | None) -> Tensor | None:
        """As :func:`~respec_core.models.lean.attention.few` takes it, of ``visible [n, m]``."""
        if visible is None:
            return None
        mask = torch.zeros(visible.shape, dtype=self.attention_dtype, device=visible.device)
        return mask.masked_fill_(~visible, -torch.inf).repeat_interleave(self.shape.shared_by, 0).to(self.device)

    def _turns(self, turns: Tensor) -> Tensor:
        """What the heads of queries, keys and values are multiplied by: ``[n, heads + 2 * kv_heads, pairs]``."""
        shape, keys = self.shape, turns[:, None]
        heads = (keys * self._scale).expand(-1, shape.heads, -1)
        return torch.cat(
            (heads, keys.expand(-1, shape.kv_heads, -1), torch.ones_like(keys).expand(-1, shape.kv_heads, -1)), dim=1
        )

    def _prompt_mask(self, n: int, end: int) -> Tensor:
        own = torch.ones((n, end), dtype=torch.bool, device=self.device).tril_(end - n)
        return torch.zeros((n, end), dtype=self.dtype, device=self.device).masked_fill_(~own, -torch.inf)

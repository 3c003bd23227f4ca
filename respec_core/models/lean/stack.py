"""All layers over a few tokens as one call: the part of the lean forward that is compiled."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from respec_core.models.lean.layer import DecoderLayer
from respec_core.models.lean.scripting import interface


@interface
class AnyLayer(nn.Module):
    """A :class:`DecoderLayer` as it is called. Called so, a layer is compiled once; a loop over modules would be unrolled, which
    takes TorchScript half a second."""

    def forward(  # type: ignore[empty-body]
        self, x: Tensor, turns: Tensor, seen: Tensor, own: Tensor, mask: Tensor | None, dtype: torch.dtype
    ) -> Tensor:
        pass


class LayerStack(nn.Module):
    """The layers one after the other. Python's lock is let go once a forward."""

    def __init__(self, layers: Sequence[DecoderLayer]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(
        self, x: Tensor, turns: Tensor, rows: Tensor, start: int, mask: Tensor | None, dtype: torch.dtype
    ) -> list[Tensor]:
        """The output of every layer, ``[n, width]`` each.

        Args:
            x: embedded tokens ``[n, width]``.
            rows: of the cache, of all layers, what is seen; from ``start`` on they are the tokens' own, to be written.
            turns: with ``mask`` and ``dtype``, as of a layer.
        """
        states: list[Tensor] = []
        for number in range(len(self.layers)):
            layer: AnyLayer = self.layers[number]  # type: ignore[assignment]
            seen = rows[number]
            x = layer.forward(x, turns, seen, seen[:, start:], mask, dtype)
            states.append(x)
        return states

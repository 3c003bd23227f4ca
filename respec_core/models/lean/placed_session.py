"""A lean session whose blocks go through a place: padded to few sizes, at addresses that stay."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from respec_core.engine.target import Output
from respec_core.models.lean.place import BlockPlace
from respec_core.models.lean.places import LentPlaces
from respec_core.models.lean.session import LeanSession

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel


class PlacedSession(LeanSession):
    """Prompts, and blocks that the place does not take, run as in any lean session, over the same cache. Dropping it closes it."""

    def __init__(
        self, model: LanguageModel, places: LentPlaces[BlockPlace], capacity: int, layers: Sequence[int] = ()
    ) -> None:
        self.place = places.lend(capacity)
        super().__init__(model, self.place.network, self.place.cache, layers)
        weakref.finalize(self, places.give_back, self.place).atexit = False

    @torch.inference_mode()
    def forward_nodes(self, tokens: Sequence[int], positions: Sequence[int], visible: np.ndarray | None) -> Output:
        """Forward over nodes given as arrays, as :meth:`LeanSession.forward_nodes`."""
        result = self.place.forward(tokens, positions, visible)
        if result is None:
            return super().forward_nodes(tokens, positions, visible)
        logits, states = result
        hidden = {layer: states[layer % len(states)].clone() for layer in self.layers}
        return Output(self.model.scores(logits.clone()), hidden)

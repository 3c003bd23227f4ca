"""An EAGLE session whose levels go through a place: padded to few sizes, at addresses that stay."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import torch
from torch import Tensor

from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.eagle.level_place import LevelPlace
from respec_core.methods.eagle.rows import MAX_DRAFT_ROWS
from respec_core.methods.eagle.session import EagleSession
from respec_core.models.lean.places import LentPlaces


class PlacedEagleSession(EagleSession):
    """True features, and levels that the place does not take, are read as in any session, over the same rows."""

    def __init__(self, head: EagleHead, places: LentPlaces[LevelPlace], capacity: int) -> None:
        self.place = places.lend(capacity + MAX_DRAFT_ROWS)
        super().__init__(head, capacity, self.place.rows)
        weakref.finalize(self, places.give_back, self.place).atexit = False

    @torch.inference_mode()
    def grow(self, parents: Sequence[int], tokens: Sequence[int], k: int) -> tuple[Tensor, Tensor]:
        """As :meth:`EagleSession.grow`."""
        level = self._stand(parents)
        found = self.place.grow(parents, tokens, self.length, level)
        if found is None:
            found = self.log_p(self._drafted(parents, tokens, level))
        return self.pick(found, k)

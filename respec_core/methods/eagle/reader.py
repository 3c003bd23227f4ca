"""Feeding an EAGLE session the target's true features of committed text, read up only when a draft is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor

from respec_core.engine.drafting import Round
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.eagle.placed_session import PlacedEagleSession
from respec_core.methods.eagle.session import EagleSession

FIRST_CAPACITY = 512
READ_ROWS = 512  # rows of the prompt the head reads at once


class FeatureReader:
    """Collects features and tokens as the run goes; :meth:`read` commits them.

    Attributes:
        session: the head's own cache.
    """

    def __init__(self, head: EagleHead) -> None:
        self.layers = head.config.feature_layers
        places = head.places
        self.session = (
            EagleSession(head, FIRST_CAPACITY) if places is None else PlacedEagleSession(head, places, FIRST_CAPACITY)
        )
        self._features: list[Tensor] = []  # of committed positions the head has not read yet …
        self._tokens: list[int] = []  # … and the token behind each of them

    def prefilled(self, hidden: Mapping[int, Tensor]) -> None:
        """Keep a prompt chunk's features until the prompt's tokens are known."""
        self._features.append(self._joined(hidden))

    def begin(self, prompt: Sequence[int]) -> None:
        """The prompt's tokens."""
        self._tokens.extend(prompt[1:])

    def observe(self, round: Round) -> None:
        """The root's and the accepted path's features, and what was committed behind them."""
        rows = [0, *round.path][: len(round.emitted)]
        self._features.append(self._joined({layer: states[rows] for layer, states in round.hidden.items()}))
        self._tokens.extend(round.emitted)

    def read(self) -> Iterator[Tensor]:
        """Commit everything collected; yields the head's states ``[n, hidden]`` in order."""
        if self._tokens:
            features, tokens = torch.cat(self._features), self._tokens
            self._features, self._tokens = [], []
            for at in range(0, len(tokens), READ_ROWS):
                rows = slice(at, at + READ_ROWS)
                yield self.session.extend(features[rows], tokens[rows])

    def _joined(self, hidden: Mapping[int, Tensor]) -> Tensor:
        return torch.cat([hidden[layer].to(self.session.rows.keys) for layer in self.layers], dim=-1)

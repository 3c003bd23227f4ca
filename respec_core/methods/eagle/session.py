"""One run's view of an EAGLE head: its key-value cache, rows with true features, and drafted rows behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from respec_core.engine.likeliest import likeliest
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.eagle.rows import MAX_DRAFT_ROWS, HeadRows
from respec_core.methods.eagle.steps import HeadSteps


@dataclass(frozen=True)
class Level:
    """Where ``m`` new drafted rows stand.

    Attributes:
        first: how many were drafted before.
        positions: absolute, ``[m]``.
        seen: bool ``[m, first + m]``, which drafted rows each sees.
    """

    first: int
    positions: list[int]
    seen: np.ndarray


class EagleSession:
    """Committed rows stand on the target's features; drafted rows on the head's own states, until :meth:`rewind`.

    Row 0 is (feature of position 0, token 1). A drafted row names its parent row by index among the drafted rows,
    -1 for the last committed one, and sees the committed rows, its ancestors and itself. The cache grows as needed.

    Attributes:
        length: committed rows, one less than the committed tokens once all features are known.
    """

    def __init__(self, head: EagleHead, capacity: int, rows: HeadRows | None = None) -> None:
        self.head = head
        self.steps = head.steps or HeadSteps.written(head)
        self.rows = rows or HeadRows(head, capacity + MAX_DRAFT_ROWS)
        self.length = 0
        self._seen = np.zeros((MAX_DRAFT_ROWS, MAX_DRAFT_ROWS), dtype=bool)
        self._depths: list[int] = []

    @property
    def drafted(self) -> int:
        """Drafted rows held behind the committed ones."""
        return len(self._depths)

    @property
    def state(self) -> Tensor:
        """The last committed row's state ``[hidden]``, until the next."""
        return self.rows.states[-1]

    @property
    def committed(self) -> tuple[Tensor, Tensor]:
        """Keys and values of the committed rows, ``[kv_heads, length, d]`` each."""
        return self.rows.keys[:, : self.length], self.rows.values[:, : self.length]

    @torch.inference_mode()
    def extend(self, features: Tensor, tokens: Sequence[int]) -> Tensor:
        """Commit rows with true features; drafted rows are dropped first.

        Args:
            features: ``[n, n_layers * hidden]`` of positions ``length … length + n - 1``, layers side by side in the
                order of ``config.feature_layers``.
            tokens: the token after each of these positions, ``[n]``.

        Returns:
            states ``[n, hidden]``; the last one's logits are the guesses for the first draft token.
        """
        self.rewind()
        n, device = len(tokens), self.head.device
        features = self.steps.fuse(features.to(self.rows.keys))
        rows = torch.arange(self.length, self.length + n, device=device)
        mask = rows[:, None] >= torch.arange(self.length + n, device=device)
        states = self._attend(features, torch.tensor(tokens, device=device), rows, self.length, mask)
        self.length += n
        self.rows.states[-1] = states[-1]
        return states

    @torch.inference_mode()
    def step(self, parents: Sequence[int], tokens: Sequence[int]) -> Tensor:
        """Draft one row below each of ``parents`` (drafted row index, or -1), reading token ``tokens[i]``.

        Returns:
            states ``[m, hidden]`` of the new rows; they are rows ``drafted - m … drafted - 1``.
        """
        return self._drafted(parents, tokens, self._stand(parents))

    def grow(self, parents: Sequence[int], tokens: Sequence[int], k: int) -> tuple[Tensor, Tensor]:
        """As :meth:`step`; of the new rows the ``k`` best next tokens, as :meth:`pick` has them."""
        return self.pick(self.log_p(self.step(parents, tokens)), k)

    def rewind(self) -> None:
        """Forget the drafted rows."""
        self._depths.clear()

    @torch.inference_mode()
    def log_p(self, states: Tensor) -> Tensor:
        """Log-probabilities of what the head can say ``[m, draft_vocab]``, float32."""
        return self.steps.log_p(states)

    @torch.inference_mode()
    def pick(self, log_p: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The ``k`` best of :meth:`log_p`'s rows (all, if there are fewer): log-probabilities and target token ids."""
        best, rows = likeliest(log_p, min(k, log_p.shape[-1]))
        return best, self.head.draft_to_target[rows]

    def _stand(self, parents: Sequence[int]) -> Level:
        """Take places for new rows below ``parents``."""
        first, end = self.drafted, self.drafted + len(parents)
        for row, parent in enumerate(parents, first):
            self._seen[row] = self._seen[parent] if parent >= 0 else False
            self._seen[row, row] = True
        self._depths += [self._depths[parent] + 1 if parent >= 0 else 0 for parent in parents]
        positions = [self.length + depth for depth in self._depths[first:]]
        return Level(first, positions, self._seen[first:end, :end])

    @torch.inference_mode()
    def _drafted(self, parents: Sequence[int], tokens: Sequence[int], level: Level) -> Tensor:
        """States of rows that stand already."""
        device, (m, end) = self.head.device, level.seen.shape
        states = self.rows.states
        feature = states[torch.tensor(parents, device=device)]  # -1 is the committed one's
        mask = torch.ones((m, self.length + end), dtype=torch.bool)
        mask[:, self.length :] = torch.from_numpy(level.seen)
        positions = torch.tensor(level.positions, device=device)
        new = self._attend(
            feature, torch.tensor(tokens, device=device), positions, self.length + level.first, mask.to(device)
        )
        states[level.first : end] = new
        return new

    def _attend(self, feature: Tensor, tokens: Tensor, positions: Tensor, at: int, mask: Tensor) -> Tensor:
        rows, end = self.rows, at + len(positions)
        rows.make_room(end)
        return self.steps.step(feature, tokens, positions, rows.keys[:, :end], rows.values[:, :end], mask)

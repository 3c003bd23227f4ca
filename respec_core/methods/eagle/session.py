"""One run's view of an EAGLE head: its key-value cache, rows with true features, and drafted rows behind them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from respec_core.methods.eagle.head import EagleHead, rotate
from respec_core.models.cache_rows import with_room

MAX_DRAFT_ROWS = 256


class EagleSession:
    """Committed rows stand on the target's features; drafted rows on the head's own states, until :meth:`rewind`.

    Row 0 is (feature of position 0, token 1). A drafted row names its parent row by index among the drafted rows,
    -1 for the last committed one, and sees the committed rows, its ancestors and itself. The cache grows as needed.

    Attributes:
        length: committed rows, one less than the committed tokens once all features are known.
        state: the last committed row's state ``[hidden]``.
    """

    def __init__(self, head: EagleHead, capacity: int) -> None:
        c = head.config
        shape = (c.num_kv_heads, capacity + MAX_DRAFT_ROWS, c.head_dim)
        self.head = head
        self.keys = torch.empty(shape, dtype=head.dtype, device=head.device)
        self.values = torch.empty_like(self.keys)
        self.states = torch.empty((MAX_DRAFT_ROWS, c.hidden_size), dtype=head.dtype, device=head.device)
        self.state = torch.zeros(c.hidden_size, dtype=head.dtype, device=head.device)
        self.length = 0
        self._visible = torch.zeros((MAX_DRAFT_ROWS, MAX_DRAFT_ROWS), dtype=torch.bool, device=head.device)
        self._depths: list[int] = []

    @property
    def drafted(self) -> int:
        """Drafted rows held behind the committed ones."""
        return len(self._depths)

    @property
    def committed(self) -> tuple[Tensor, Tensor]:
        """Keys and values of the committed rows, ``[kv_heads, length, d]`` each."""
        return self.keys[:, : self.length], self.values[:, : self.length]

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
        n, device = len(tokens), self.keys.device
        residual, x = self.head.inputs(self.head.fuse(features.to(self.keys)), torch.tensor(tokens, device=device))
        rows = torch.arange(self.length, self.length + n, device=device)
        mask = None
        if n > 1:
            mask = rows[:, None] >= torch.arange(self.length + n, device=device)
        states = self._attend(residual, x, rows, self.length, mask)
        self.length += n
        self.state = states[-1]
        return states

    @torch.inference_mode()
    def step(self, parents: Sequence[int], tokens: Sequence[int]) -> Tensor:
        """Draft one row below each of ``parents`` (drafted row index, or -1), reading token ``tokens[i]``.

        Returns:
            states ``[m, hidden]`` of the new rows; they are rows ``drafted - m … drafted - 1``.
        """
        first, m, device = self.drafted, len(tokens), self.keys.device
        index = torch.tensor(parents, device=device)
        feature = torch.where((index < 0)[:, None], self.state, self.states[index.clamp(min=0)])
        residual, x = self.head.inputs(feature, torch.tensor(tokens, device=device))
        new = slice(first, first + m)
        self._visible[new] = torch.where((index < 0)[:, None], False, self._visible[index.clamp(min=0)])
        self._visible[range(first, first + m), range(first, first + m)] = True
        self._depths += [self._depths[p] + 1 if p >= 0 else 0 for p in parents]
        positions = torch.tensor([self.length + d for d in self._depths[new]], device=device)
        mask = torch.ones((m, self.length + first + m), dtype=torch.bool, device=device)
        mask[:, self.length :] = self._visible[new, : first + m]
        states = self._attend(residual, x, positions, self.length + first, mask)
        self.states[new] = states
        return states

    def rewind(self) -> None:
        """Forget the drafted rows."""
        self._depths.clear()

    def top(self, states: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The ``k`` best next tokens of each state: log-probabilities and target token ids, both ``[m, k]``."""
        return self.pick(self.log_p(states), k)

    @torch.inference_mode()
    def log_p(self, states: Tensor) -> Tensor:
        """Log-probabilities of what the head can say ``[m, draft_vocab]``, float32."""
        return self.head.logits(states).float().log_softmax(-1)

    @torch.inference_mode()
    def pick(self, log_p: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """The ``k`` best of :meth:`log_p`'s rows (all, if there are fewer): log-probabilities and target token ids."""
        best, rows = log_p.topk(min(k, log_p.shape[-1]), dim=-1)
        return best, self.head.draft_to_target[rows]

    def _attend(self, residual: Tensor, x: Tensor, positions: Tensor, at: int, mask: Tensor | None) -> Tensor:
        head, n = self.head, len(positions)
        self.keys, self.values = with_room(self.keys, at + n), with_room(self.values, at + n)
        q, k, v = head.heads(x)
        self.keys[:, at : at + n] = rotate(k, positions, head.inv_freq)
        self.values[:, at : at + n] = v
        attended = F.scaled_dot_product_attention(
            rotate(q, positions, head.inv_freq)[None],
            self.keys[None, :, : at + n],
            self.values[None, :, : at + n],
            attn_mask=mask,
            enable_gqa=True,
        )
        return head.finish(residual, attended[0])

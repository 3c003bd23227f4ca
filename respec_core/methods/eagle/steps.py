"""What a head computes in a run: its feature, states of new rows over cached ones, and what it says behind a state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.parts.rotary import turned, turns
from respec_core.models.lean.scripting import traced


@dataclass(frozen=True)
class HeadSteps:
    """As calls, which read the head they are made of.

    Attributes:
        fuse: target features ``[n, n_layers * hidden]`` to the head's ``[n, hidden]``.
        step: states ``[n, hidden]`` of new rows; see :class:`NewRows`.
        log_p: states ``[n, hidden]`` to log-probabilities of what the head can say ``[n, draft_vocab]``, float32.
    """

    fuse: Callable[..., Tensor]
    step: Callable[..., Tensor]
    log_p: Callable[..., Tensor]

    @classmethod
    def written(cls, head: EagleHead) -> HeadSteps:
        """As they are written."""
        return cls(FusedFeature(head), NewRows(head), SaidNext(head))

    @classmethod
    def compiled(cls, head: EagleHead) -> HeadSteps:
        """Where that can be: of a head that stays as it is. Changes no bit."""
        c, n = head.config, 3  # rows of the examples
        like = head.mlp_norm.weight
        states, rows = like.new_ones(n, c.hidden_size), like.new_ones(c.num_kv_heads, n, c.head_dim)
        tokens, mask = torch.zeros(n, dtype=torch.long, device=head.device), torch.ones(n, n, device=head.device).bool()
        return cls(
            traced(FusedFeature(head), like.new_ones(n, c.target_width * len(c.feature_layers))),
            traced(NewRows(head), states, tokens, tokens, rows, rows.clone(), mask),
            traced(SaidNext(head), states),
        )


class FusedFeature(nn.Module):
    """The head's feature of the target's."""

    def __init__(self, head: EagleHead) -> None:
        super().__init__()
        self.head = head

    def forward(self, features: Tensor) -> Tensor:
        """As :meth:`EagleHead.fuse`."""
        return self.head.fuse(features)


class SaidNext(nn.Module):
    """Log-probabilities of what a head can say."""

    def __init__(self, head: EagleHead) -> None:
        super().__init__()
        self.head = head

    def forward(self, states: Tensor) -> Tensor:
        """Behind states ``[n, hidden]``: ``[n, draft_vocab]``, float32."""
        return self.head.log_p(states)


class NewRows(nn.Module):
    """New rows, whose keys and values are written behind those before."""

    def __init__(self, head: EagleHead) -> None:
        super().__init__()
        self.head = head

    def forward(
        self, feature: Tensor, tokens: Tensor, positions: Tensor, keys: Tensor, values: Tensor, mask: Tensor
    ) -> Tensor:
        """States ``[n, hidden]``.

        Args:
            feature: the head's, or its own states, ``[n, hidden]``; ``tokens`` and ``positions`` ``[n]``.
            keys: ``[kv_heads, m, d]``, the last ``n`` of them to be written; ``values`` too.
            mask: bool ``[n, m]``, which rows each sees.
        """
        head, n = self.head, tokens.shape[0]
        residual, x = head.inputs(feature, tokens)
        q, k, v = head.heads(x)
        by = turns(positions, head.inv_freq, x.dtype)
        keys[:, -n:] = turned(k, by)
        values[:, -n:] = v
        attended = F.scaled_dot_product_attention(
            turned(q, by)[None], keys[None], values[None], attn_mask=mask, enable_gqa=True
        )
        return head.finish(residual, attended[0])

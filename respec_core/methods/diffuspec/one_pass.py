"""The pass that drafts: one block of which only the first position is known, in few calls: what ``denoise`` gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor

from respec_core.methods.diffuspec.block_network import BlockDrafter, BlockLayer, KeysValues
from respec_core.methods.parts.rotary import CosSin, turned, turns


class OnePass:
    """A drafter's, with room for what every pass joins. For one run at a time."""

    @torch.inference_mode()
    def __init__(self, drafter: BlockDrafter) -> None:
        c, mask = drafter.config, drafter.mask
        self.drafter, self.hidden = drafter, c.hidden_size
        self.layers = [drafter.first, *(cast(BlockLayer, layer) for layer in drafter.layers)]
        shape = c.block - 1, 2 * c.hidden_size  # the token before, and the state, of positions 1 …
        self._joined = mask.new_empty(shape)
        self._joined[:, : c.hidden_size] = drafter.before_norm(drafter.before_mask)
        self._places = torch.arange(c.block, device=mask.device)

    @torch.inference_mode()
    def __call__(self, embedded: Tensor, state: Tensor, base: int, context: Sequence[KeysValues]) -> Tensor:
        """Fill the block behind a state.

        Args:
            embedded: of the token at position 0, ``[hidden]``.
            state: the head's ``[hidden]``, which predicts it, of its row ``base``.
            context: keys and values of every layer ``[kv_heads, n, d]``.

        Returns:
            hidden ``[block, hidden]``.
        """
        d, joined, token = self.drafter, self._joined, embedded[None].to(state.dtype)
        joined[:1, : self.hidden] = d.before_norm(token)
        joined[:, self.hidden :] = d.state_norm(d.start(state[None]).view(-1, self.hidden))
        x = torch.cat((state + d.token(d.token_norm(token)), d.join(joined) + d.mask[1:]))
        by = turns(base + self._places, d.inv_freq, x.dtype)
        for layer, past in zip(self.layers, context, strict=True):
            x = _layer(layer, x, by, past)
        return x


def _layer(layer: BlockLayer, x: Tensor, by: CosSin, past: KeysValues) -> Tensor:
    """``layer`` on one block ``[block, hidden]``."""
    block, d, kv = len(x), layer.head_dim, layer.kv_heads
    heads = layer.qkv(layer.input_norm(x)).view(block, -1, d).transpose(0, 1)
    own_v, (past_k, past_v) = heads[-kv:], past
    both = turned(heads[:-kv], by)
    q, own_k = (both[:-kv] * d**-0.5).view(kv, -1, d), both[-kv:]  # queries that share keys stand side by side
    scores = torch.cat((torch.bmm(q, past_k.transpose(1, 2)), torch.bmm(q, own_k.transpose(1, 2))), dim=-1)
    far, near = scores.softmax(dim=-1).split((past_k.shape[1], block), dim=-1)
    attended = torch.bmm(far, past_v) + torch.bmm(near, own_v)
    x = x + layer.out(attended.view(-1, block, d).transpose(0, 1).reshape(block, -1))
    out: Tensor = x + layer.mlp(layer.mlp_norm(x))
    return out

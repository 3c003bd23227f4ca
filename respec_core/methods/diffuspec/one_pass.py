"""The pass that drafts: one block of which only the first position is known, in few calls: what ``denoise`` gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn

from respec_core.methods.diffuspec.block_network import BlockDrafter, BlockLayer, KeysValues
from respec_core.methods.parts.rotary import CosSin, turned, turns
from respec_core.models.lean.scripting import traced


class OnePass(nn.Module):
    """A drafter's, from which it takes all it reads; nothing of a run is kept."""

    before: Tensor
    places: Tensor

    @torch.inference_mode()
    def __init__(self, drafter: BlockDrafter) -> None:
        super().__init__()
        self.drafter = drafter
        before = drafter.before_norm(drafter.before_mask)  # what stands before positions 2 …: a mask
        self.register_buffer("before", before.expand(max(0, drafter.config.block - 2), -1), False)
        self.register_buffer("places", torch.arange(drafter.config.block, device=before.device), False)

    @classmethod
    def compiled(cls, drafter: BlockDrafter) -> Callable[..., Tensor]:
        """Where that can be: of a drafter that stays as it is. Changes no bit."""
        c, like = drafter.config, drafter.mask
        row, base = like.new_ones(c.hidden_size), torch.ones((), dtype=torch.long, device=like.device)
        past = [like.new_ones(c.num_kv_heads, 3, c.head_dim) for _ in range(2 * c.num_layers)]
        return traced(cls(drafter), row, row, base, *past)

    def forward(self, embedded: Tensor, state: Tensor, base: Tensor, *past: Tensor) -> Tensor:
        """Fill the block behind a state.

        Args:
            embedded: of the token at position 0, ``[hidden]``.
            state: the head's ``[hidden]``, which predicts it, of its row ``base``, a whole number ``[]``.
            past: keys, then values, of every layer after layer, ``[kv_heads, n, d]``.

        Returns:
            hidden ``[block, hidden]``.
        """
        d, token, state = self.drafter, embedded[None].to(state.dtype), state[None]
        rest = d.state_norm(d.start(state).view(-1, state.shape[1]))
        before = torch.cat((d.before_norm(token), self.before))[: rest.shape[0]]  # none of a block of one
        x = torch.cat((state + d.token(d.token_norm(token)), d.join(torch.cat((before, rest), dim=1)) + d.mask[1:]))
        by = turns(base + self.places, d.inv_freq, x.dtype)
        for layer, keys, values in zip((d.first, *d.layers), past[::2], past[1::2], strict=True):
            x = _layer(cast(BlockLayer, layer), x, by, (keys, values))
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

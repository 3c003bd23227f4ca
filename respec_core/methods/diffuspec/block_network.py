"""A block-diffusion drafter that stands on a trained EAGLE head (DiffuSpec, arXiv 2510.02358 §3; ours).

All positions of a block are filled in one pass. Position 0 is the head's own guess, from the state it has anyway.
Position j starts as a learned linear map of that state, joined with the token before it, or a mask; its own token, where
it is known, or a mask is added. The first layer begins as a copy of the head's and reads the head's cache; further
layers, zero at first, read the head's states of the prefix (cached). All let the positions see each other in both
directions. It is a masked denoiser: any subset of the block may be given, so further passes can refine it. The read-out
is the head's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar, cast

import torch
import torch.nn.functional as F
from pydantic import ConfigDict, PositiveFloat
from safetensors.torch import save
from torch import Tensor, nn

from respec_core.boundary.output import make_folder, write_bytes
from respec_core.errors import ReSpecError
from respec_core.methods.eagle.head import EagleHead, GatedMLP, Norm, check_attention
from respec_core.methods.parts.rotary import CosSin, inverse_frequencies, turned, turns
from respec_core.models.cache_rows import with_room
from respec_core.models.weights import Layers, Size, load_own

WEIGHTS = "block_diffusion.safetensors"
KeysValues = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class BlockConfig:
    """Shape of a drafter.

    Attributes:
        inner: width of the first layer's MLP, the head's; ``intermediate_size``: of the further ones.
        num_layers: the first one included.
        block: positions filled at once.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    hidden_size: Size
    num_heads: Size
    num_kv_heads: Size
    head_dim: Size
    inner: Size
    intermediate_size: Size
    num_layers: Layers
    block: Size
    rms_norm_eps: PositiveFloat
    rope_theta: PositiveFloat

    def __post_init__(self) -> None:
        check_attention(self.num_heads, self.num_kv_heads, self.head_dim)


class BlockLayer(nn.Module):
    """Attention over cached keys of the prefix and over the own block, then a gated MLP."""

    def __init__(self, c: BlockConfig, inner: int) -> None:
        super().__init__()
        q, kv = c.num_heads * c.head_dim, c.num_kv_heads * c.head_dim
        self.split = (q, kv, kv)
        self.head_dim, self.kv_heads = c.head_dim, c.num_kv_heads
        self.input_norm = Norm(c.hidden_size, c.rms_norm_eps)
        self.qkv = nn.Linear(c.hidden_size, q + 2 * kv, bias=False)
        self.out = nn.Linear(q, c.hidden_size, bias=False)
        self.mlp_norm = Norm(c.hidden_size, c.rms_norm_eps)
        self.mlp = GatedMLP(c.hidden_size, inner)

    def forward(self, x: Tensor, by: CosSin, context: KeysValues, seen: Tensor | None) -> Tensor:
        """``x [rows, a, block, hidden]``, turned as its positions say; ``seen`` bool ``[rows, a, n]`` or None for all."""
        a, b = x.shape[1:3]
        heads = self.qkv(self.input_norm(x)).unflatten(-1, (-1, self.head_dim)).permute(0, 3, 1, 2, 4)
        own_v, (past_k, past_v) = heads[:, -self.kv_heads :], context
        q, own_k = turned(heads[:, : -self.kv_heads], by).split(self.split[0] // self.head_dim, dim=1)
        # queries that share keys stand side by side: [rows, kv_heads, a, groups * block, head_dim]
        q = (q * self.head_dim**-0.5).unflatten(1, (self.kv_heads, -1)).transpose(2, 3).flatten(3, 4)
        far = (q.flatten(2, 3) @ past_k.transpose(-1, -2)).unflatten(2, (a, -1))
        if seen is not None:
            far = far.masked_fill(~seen[:, None, :, None], float("-inf"))
        weights = torch.cat((far, q @ own_k.transpose(-1, -2)), dim=-1).softmax(dim=-1).to(own_v.dtype)
        far, near = weights.split((past_k.shape[2], b), dim=-1)
        attended = (far.flatten(2, 3) @ past_v).unflatten(2, (a, -1)) + near @ own_v
        attended = attended.unflatten(3, (-1, b)).permute(0, 2, 4, 1, 3, 5).flatten(3)
        x = x + self.out(attended)
        return x + self.mlp(self.mlp_norm(x))


class StateLayer(BlockLayer):
    """A layer with keys and values of its own for the head's states; adds nothing at first."""

    def __init__(self, c: BlockConfig) -> None:
        super().__init__(c, c.intermediate_size)
        self.context_norm = Norm(c.hidden_size, c.rms_norm_eps)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.mlp.down.weight)

    def context(self, states: Tensor, by: CosSin) -> KeysValues:
        """Prefix states ``[rows, n, hidden]`` to keys and values ``[rows, kv_heads, n, d]``."""
        both = self.qkv(self.context_norm(states))[..., self.split[0] :]
        k, v = (x.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for x in both.chunk(2, dim=-1))
        return turned(k, by), v


class BlockDrafter(nn.Module):
    """The denoiser's weights; the EAGLE head is passed in, never owned."""

    inv_freq: Tensor

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.config = config
        h = config.hidden_size
        self.start = nn.Linear(h, (config.block - 1) * h, bias=False)
        self.before_norm = Norm(h, config.rms_norm_eps)
        self.state_norm = Norm(h, config.rms_norm_eps)
        self.join = nn.Linear(2 * h, h, bias=False)
        self.before_mask = nn.Parameter(torch.zeros(h))
        self.token_norm = Norm(h, config.rms_norm_eps)
        self.token = nn.Linear(h, h, bias=False)
        self.mask = nn.Parameter(torch.zeros(config.block, h))
        self.first = BlockLayer(config, config.inner)
        self.layers = nn.ModuleList([StateLayer(config) for _ in range(config.num_layers - 1)])
        self.register_buffer("inv_freq", inverse_frequencies(config.head_dim, config.rope_theta), False)
        nn.init.zeros_(self.token.weight)

    def start_from(self, head: EagleHead) -> None:
        """Begin as the head: position 1 then guesses what the head's own second step would."""
        with torch.no_grad():
            identity = torch.eye(self.config.hidden_size, device=self.start.weight.device)
            self.start.weight.copy_(identity.repeat(self.config.block - 1, 1))
            self.before_norm.load_state_dict(head.token_norm.state_dict())
            self.state_norm.load_state_dict(head.state_norm.state_dict())
            self.join.load_state_dict(head.join.state_dict())
            for name in ("input_norm", "qkv", "out", "mlp_norm", "mlp"):
                getattr(self.first, name).load_state_dict(getattr(head, name).state_dict())

    def context(self, states: Tensor, first: Tensor | int = 0) -> list[KeysValues]:
        """The head's step-0 states ``[rows, n, hidden]`` of rows ``first …`` to the further layers' keys and values."""
        positions = torch.arange(states.shape[1], device=states.device) + first
        by = turns(positions, self.inv_freq, states.dtype)
        return [cast(StateLayer, layer).context(states, by) for layer in self.layers]

    def denoise(
        self,
        head: EagleHead,
        state: Tensor,
        base: Tensor,
        tokens: Tensor,
        known: Tensor,
        context: Sequence[KeysValues],
        seen: Tensor | None = None,
    ) -> Tensor:
        """Fill blocks in one pass.

        Args:
            state: the head's step-0 state each block starts from, ``[rows, a, hidden]``; its position 0 is the token
                that this state predicts.
            base: head row of that state, ``[rows, a]``.
            tokens: ids ``[rows, a, block]``, read where ``known`` (bool, same shape).
            context: the head's own keys and values, then those from :meth:`context`, ``[rows, kv_heads, n, d]`` each.
            seen: which context rows a block sees, bool ``[rows, a, n]``; None for all.

        Returns:
            hidden ``[rows, a, block, hidden]``, for ``head.logits``.
        """
        embedded = F.embedding(tokens, head.embedding).to(state.dtype)
        before = torch.where(known[..., :-1, None], embedded[..., :-1, :], self.before_mask.to(state.dtype))
        rest = self.state_norm(self.start(state).unflatten(-1, (-1, state.shape[-1])))
        x = torch.cat((state[..., None, :], self.join(torch.cat((self.before_norm(before), rest), dim=-1))), dim=-2)
        x = x + torch.where(known[..., None], self.token(self.token_norm(embedded)), self.mask.to(x.dtype))
        positions = base[..., None] + torch.arange(self.config.block, device=base.device)
        by = turns(positions[:, None], self.inv_freq, x.dtype)
        for layer, past in zip((self.first, *self.layers), context, strict=True):
            x = layer(x, by, past, seen)
        return x

    def save(self, folder: Path) -> None:
        """Write fp16 weights with the config in the file's metadata."""
        make_folder(folder)
        state = {n: t.half().contiguous().cpu() for n, t in self.state_dict().items()}
        metadata = {"format": "pt", "config": json.dumps(asdict(self.config))}
        write_bytes(folder / WEIGHTS, save(state, metadata=metadata))

    @classmethod
    def load(cls, folder: Path, dtype: torch.dtype = torch.float32, device: str = "cpu") -> BlockDrafter:
        """Read what :meth:`save` wrote.

        Raises:
            ReSpecError: if there is none, or it is damaged.
        """
        path = folder / WEIGHTS
        if not path.is_file():
            raise ReSpecError(
                f"No diffusion drafter at {path}: train one with `python -m respec_core train diffusion`."
            )
        return load_own(path, cls, BlockConfig).to(device=device, dtype=dtype).eval().requires_grad_(False)

    def check_fits(self, head: EagleHead, path: Path) -> None:
        """Raise unless the first layer can read ``head``'s keys and its states.

        Raises:
            ReSpecError: naming ``path``.
        """
        own, its = self.config, head.config
        shapes = [(c.hidden_size, c.num_heads, c.num_kv_heads, c.head_dim) for c in (own, its)]
        if shapes[0] != shapes[1]:
            raise ReSpecError(f"{path} was made for an EAGLE head of another shape; train it on this head again.")


class BlockSession:
    """One run's cached prefix for a block drafter, kept in step with an :class:`EagleSession`.

    Args:
        context: of states ``[n, hidden]`` and the first one's row the further layers' rows of the cache, see ``ContextRows``.

    Attributes:
        length: head rows seen so far.
    """

    def __init__(
        self, drafter: BlockDrafter, head: EagleHead, capacity: int, context: Callable[[Tensor, Tensor], Tensor]
    ) -> None:
        c, mask = drafter.config, drafter.mask
        shape = (c.num_layers - 1, 2, 1, c.num_kv_heads, capacity, c.head_dim)
        self.drafter, self.head, self.context, self.length = drafter, head, context, 0
        self.cache = torch.empty(shape, dtype=mask.dtype, device=mask.device)
        self.state = torch.zeros(c.hidden_size, dtype=mask.dtype, device=mask.device)

    @torch.inference_mode()
    def extend(self, states: Tensor) -> None:
        """Commit what ``EagleSession.extend`` returned, ``[n, hidden]``."""
        self.cache = with_room(self.cache, self.length + len(states))
        first = torch.tensor(self.length, device=self.cache.device)
        if len(self.cache):
            self.cache[..., self.length : self.length + len(states), :] = self.context(states, first)
        self.length += len(states)
        self.state = states[-1]

    @property
    def past(self) -> list[KeysValues]:
        """The further layers' keys and values of all rows, ``[kv_heads, length, d]`` each."""
        return [(c[0, 0, :, : self.length], c[1, 0, :, : self.length]) for c in self.cache]

    @torch.inference_mode()
    def hidden(self, known: dict[int, int], head_cache: KeysValues) -> Tensor:
        """One pass over the block behind the last row.

        Args:
            head_cache: the head's keys and values of all rows, ``[kv_heads, length, d]`` each.
            known: tokens already decided, by position; at least position 0 (the head's own first guess) drafts best.

        Returns:
            hidden ``[block, hidden]``, for ``head.logits``.
        """
        block, device = self.drafter.config.block, self.cache.device
        tokens = torch.tensor([[[known.get(i, 0) for i in range(block)]]], device=device)
        given = torch.tensor([[[i in known for i in range(block)]]], device=device)
        context = [(k[None], v[None]) for k, v in (head_cache, *self.past)]
        base = torch.tensor([[self.length - 1]], device=device)
        return self.drafter.denoise(self.head, self.state[None, None], base, tokens, given, context)[0, 0]

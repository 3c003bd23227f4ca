"""The EAGLE head: one decoder layer that guesses the target's next tokens from the target's own features.

Row ``t`` of the head pairs the target's feature at position t with the token at t + 1 and predicts the token at
t + 2; deeper guesses feed the head its own state instead of a feature. Three layouts share this file's code:

- ``eagle``: EAGLE-1/2 (arXiv 2401.15077 §3, 2406.16858): ``join(token, feature)`` into one layer without input norm,
  read out by the target's own output layer.
- ``eagle3``: EAGLE-3 (arXiv 2503.01840 §3): features of three layers fused, attention over [token | feature],
  reduced output vocabulary.
- ``respec``: ours: fused features as in EAGLE-3, joined with the token as in EAGLE-1, every input normed.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import torch
import torch.nn.functional as F
from pydantic import ConfigDict, PositiveFloat
from safetensors.torch import save
from torch import Tensor, nn

from respec_core.boundary.output import make_folder, write_bytes
from respec_core.errors import ReSpecError
from respec_core.methods.eagle.growing import Grower, Head
from respec_core.methods.parts.rotary import inverse_frequencies
from respec_core.models.lean.places import LentPlaces
from respec_core.models.lean.rough import RoughLinear
from respec_core.models.precision import dtype_name
from respec_core.models.registry import INT8
from respec_core.models.weights import Size, load_own

if TYPE_CHECKING:
    from respec_core.methods.eagle.steps import HeadSteps

Layout = Literal["eagle", "eagle3", "respec"]
WEIGHTS = "eagle.safetensors"
MOST_PADDING = 1024  # rows that one of two networks with the same tokenizer may have beyond the other's
UNSAID_CONTEXT = 1110  # longest text of the corpus behind the first heads, whose files do not name it


@dataclass(frozen=True)
class EagleConfig:
    """Shape of a head.

    Attributes:
        feature_layers: which hidden states it reads, as ``Session(layers=...)`` counts them (0 embedding, -1 last, normed).
        draft_vocab: rows of its output layer; ``draft_to_target`` maps them to token ids.
        depth: draft steps it was trained to unroll.
        qkv_bias: whether queries, keys and values have biases, as in heads for Qwen2.
        context: longest text it was trained on, in tokens; None if nobody says.
        feature_size: width of the target's features, where the head is narrower (``eagle3``); None for its own.
        residual_normed: whether the norm of its state comes before the residual branches off (``eagle3``).

    Raises:
        ValueError: for shapes that no head has.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    layout: Layout
    hidden_size: Size
    num_heads: Size
    num_kv_heads: Size
    head_dim: Size
    intermediate_size: Size
    rms_norm_eps: PositiveFloat
    rope_theta: PositiveFloat
    feature_layers: tuple[int, ...]
    target_vocab: Size
    draft_vocab: Size
    join_bias: bool = False
    depth: Size = 5
    qkv_bias: bool = False
    context: Size | None = None
    feature_size: Size | None = None
    residual_normed: bool = False

    @property
    def target_width(self) -> int:
        """Width of the target that it was made for."""
        return self.feature_size or self.hidden_size

    def __post_init__(self) -> None:
        if self.layout != "eagle3" and (self.feature_size or self.residual_normed):
            raise ValueError("only EAGLE-3 heads are narrower than their target, or norm their residual")
        check_attention(self.num_heads, self.num_kv_heads, self.head_dim)
        if not 0 < len(self.feature_layers) < 64 or min(self.feature_layers) < -1:
            raise ValueError("feature_layers names no layer, too many, or one before the first")


def check_attention(heads: int, kv_heads: int, head_dim: int) -> None:
    """Raise for heads that grouped attention with rotary positions cannot have.

    Raises:
        ValueError: naming them.
    """
    if heads % kv_heads or head_dim % 2:
        raise ValueError(f"{heads} heads cannot share {kv_heads} of keys, or have an odd width of {head_dim}")


class Norm(nn.Module):
    """Root-mean-square norm over the last axis."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.weight.shape, self.weight.to(x.dtype), self.eps)


class GatedMLP(nn.Module):
    """``down(silu(gate) * up)`` with gate and up in one product."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate_up = nn.Linear(width, 2 * inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)


class EagleHead(nn.Module, Head):
    """Weights of a head and its pieces; :class:`EagleSession` runs them with a cache, training unrolls them in batches.

    Attributes:
        embedding: the target's input embedding ``[target_vocab, hidden]``, lent by :meth:`attach`, never saved.
        draft_to_target: token id of each output row, ``[draft_vocab]``, ascending.
        steps: compiled, if they are (:class:`~respec_core.methods.eagle.steps.HeadSteps`).
        places: where sessions grow their levels as captured graphs, if they do (``level_place.py``).
    """

    embedding: Tensor
    draft_to_target: Tensor
    inv_freq: Tensor
    places: LentPlaces[Any] | None = None
    steps: HeadSteps | None = None

    def __init__(self, config: EagleConfig) -> None:
        super().__init__()
        self.config = config
        h, eps, layout = config.hidden_size, config.rms_norm_eps, config.layout
        q, kv = config.num_heads * config.head_dim, config.num_kv_heads * config.head_dim
        self.split = (q, kv, kv)
        if layout == "respec":
            self.feature_norms = nn.ModuleList(Norm(h, eps) for _ in config.feature_layers)
        if layout != "eagle":
            self.fuse_features = nn.Linear(config.target_width * len(config.feature_layers), h, bias=False)
            self.token_norm = Norm(h, eps)
            self.state_norm = Norm(h, eps)
            self.output_norm = Norm(h, eps)
        if layout != "eagle3":
            self.join = nn.Linear(2 * h, h, bias=config.join_bias)
        if layout == "respec":
            self.input_norm = Norm(h, eps)
        self.qkv = nn.Linear(2 * h if layout == "eagle3" else h, q + 2 * kv, bias=config.qkv_bias)
        self.out = nn.Linear(q, h, bias=False)
        self.mlp_norm = Norm(h, eps)
        self.mlp = GatedMLP(h, config.intermediate_size)
        self.lm_head = nn.Linear(h, config.draft_vocab, bias=False)
        self.register_buffer("draft_to_target", torch.arange(config.draft_vocab, device="cpu"))
        self.register_buffer("inv_freq", inverse_frequencies(config.head_dim, config.rope_theta), False)
        self.register_buffer("embedding", torch.zeros(0, h), False)

    def describe(self) -> dict[str, Any]:
        """For the trace: what it is."""
        precision = INT8 if self.is_rough else dtype_name(self.dtype)
        return {"layout": self.config.layout, "vocab_size": self.config.draft_vocab, "dtype": precision}

    @property
    def is_rough(self) -> bool:
        """Whether its products are in int8."""
        return isinstance(self.lm_head, RoughLinear)

    @property
    def dtype(self) -> torch.dtype:
        """What its states are in."""
        return self.mlp_norm.weight.dtype

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self.mlp_norm.weight.device

    @property
    def said(self) -> Tensor:
        """Token ids that it can say."""
        return self.draft_to_target

    def grower(self) -> Grower:
        """Grows trees with a cache of its own."""
        from respec_core.methods.eagle.feature_grower import FeatureGrower  # which stands on this module

        return FeatureGrower(self)

    def attach(self, embedding: Tensor) -> EagleHead:
        """Borrow the target's input embedding (shared, not copied where device and type agree)."""
        rows, width = embedding.shape
        if width != self.config.hidden_size or rows + MOST_PADDING < self.config.target_vocab:
            raise ReSpecError(
                f"This head was made for a target of width {self.config.hidden_size} and {self.config.target_vocab} "
                f"tokens, not {width} and {rows}."
            )
        self.embedding = embedding.detach().to(self.device, self.dtype)
        return self

    def limit(self, vocab_size: int) -> None:
        """Unlearn token ids from ``vocab_size`` on: padding of the network it was trained on, which means no token."""
        said = self.draft_to_target < vocab_size
        if not bool(said.all()):
            self.draft_to_target = self.draft_to_target[said]
            self.lm_head.weight = nn.Parameter(self.lm_head.weight[said], requires_grad=False)
            self.config = replace(self.config, draft_vocab=len(self.draft_to_target))

    def fuse(self, features: Tensor) -> Tensor:
        """Target features ``[..., n_layers * hidden]`` to the head's feature ``[..., hidden]``."""
        if self.config.layout == "eagle":
            return features
        if self.config.layout == "respec":
            parts = features.chunk(len(self.config.feature_layers), dim=-1)
            features = torch.cat([norm(p) for norm, p in zip(self.feature_norms, parts, strict=True)], dim=-1)
        return self.fuse_features(features)

    def inputs(self, feature: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Feature (or own state) ``[..., hidden]`` and token ids ``[...]`` to (residual, attention input)."""
        token = F.embedding(tokens, self.embedding).to(feature.dtype)
        if self.config.layout == "eagle":
            x = self.join(torch.cat((token, feature), dim=-1))
            return x, x
        normed = self.state_norm(feature)
        joined = torch.cat((self.token_norm(token), normed), dim=-1)
        if self.config.layout == "eagle3":
            return normed if self.config.residual_normed else feature, joined
        x = self.join(joined)
        return x, self.input_norm(x)

    def heads(self, attention_input: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """``[..., n, width]`` to q ``[..., heads, n, d]`` and k, v ``[..., kv_heads, n, d]``, not yet rotated."""
        parts = self.qkv(attention_input).split(self.split, dim=-1)
        q, k, v = (p.unflatten(-1, (-1, self.config.head_dim)).transpose(-3, -2) for p in parts)
        return q, k, v

    def finish(self, residual: Tensor, attended: Tensor) -> Tensor:
        """Attention result ``[..., heads, n, d]`` to the layer's output, the head's state ``[..., n, hidden]``."""
        x = residual + self.out(attended.transpose(-3, -2).flatten(-2))
        return x + self.mlp(self.mlp_norm(x))

    def logits(self, state: Tensor) -> Tensor:
        """State ``[..., hidden]`` to logits over the draft vocabulary ``[..., draft_vocab]``."""
        return self.lm_head(state if self.config.layout == "eagle" else self.output_norm(state))

    def log_p(self, states: Tensor) -> Tensor:
        """Log-probabilities of what can be said behind ``states [..., hidden]``: ``[..., draft_vocab]``, float32."""
        log_p: Tensor = self.logits(states).float().log_softmax(-1)
        return log_p

    def save(self, folder: Path) -> None:
        """Write fp16 weights with the config in the file's metadata."""
        make_folder(folder)
        state = {
            n: (t.half() if t.is_floating_point() else t.int()).contiguous().cpu() for n, t in self.state_dict().items()
        }
        write_bytes(folder / WEIGHTS, save(state, {"format": "pt", "config": json.dumps(asdict(self.config))}))

    @classmethod
    def load(
        cls, folder: Path, embedding: Tensor, dtype: torch.dtype = torch.float32, device: str = "cpu"
    ) -> EagleHead:
        """Read what :meth:`save` wrote and attach it to its target.

        Raises:
            ReSpecError: if there is none, it is damaged, or it was made for another target.
        """
        path = folder / WEIGHTS
        if not path.is_file():
            raise ReSpecError(f"No EAGLE head at {path}: train one with `python -m respec_core train eagle`.")
        head = load_own(path, cls, EagleConfig)
        head.check_vocabulary(path)
        if head.config.context is None:
            head.config = replace(head.config, context=UNSAID_CONTEXT)
        return head.to(device=device, dtype=dtype).eval().requires_grad_(False).attach(embedding)

    def check_vocabulary(self, path: Path) -> None:
        """Raise unless every output row is a token of the target, in ascending order.

        Raises:
            ReSpecError: naming ``path``.
        """
        ids = self.draft_to_target
        if bool((ids < 0).any() or (ids >= self.config.target_vocab).any() or (ids.diff() <= 0).any()):
            raise ReSpecError(f"{path}: the map from the head's vocabulary to the target's is damaged.")

"""Doubles of the real thing: a scripted target, tiny random models and heads, a datastore of bare ids."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

from respec_core.engine.target import Output
from respec_core.engine.tree import DraftTree
from respec_core.methods.diffuspec.block import BlockDiffusion
from respec_core.methods.diffuspec.block_network import BlockConfig, BlockDrafter
from respec_core.methods.diffuspec.denoiser import Denoiser, DiffusionModel
from respec_core.methods.diffuspec.markov_head import MarkovConfig, MarkovHead
from respec_core.methods.eagle.head import EagleConfig, EagleHead
from respec_core.models.language_model import LanguageModel
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.encoding import Encoded
from respec_core.trace.cost_curve import CostCurve

FAMILIES = ("llama", "qwen2", "qwen3", "mistral")
VOCAB = 96
COSTS = CostCurve(((1, 1.0), (8, 1.2), (32, 2.0), (64, 3.0)))  # ms; doubles are never measured
SHORTENED = {
    "rapid": {"kept_tokens": 16, "chunk": 8, "lead": 0, "query": 2}
}  # so that it leaves out some of a short prompt
DEVICE = os.environ.get("RESPEC_TEST_DEVICE", "cpu")  # where tiny models live; cuda on a GPU machine


@dataclass
class StubSession:
    """Keeps ids instead of keys and values."""

    model: StubModel
    layers: tuple[int, ...] = ()
    ids: list[int] = field(default_factory=list)
    pending: tuple[int, ...] = ()

    @property
    def length(self) -> int:
        return len(self.ids)

    def prefill(self, ids: Sequence[int], chunk: int = 512):
        for start in range(0, len(ids), chunk):
            self.ids.extend(ids[start : start + chunk])
            yield min(start + chunk, len(ids)), {}

    def forward(self, tree: DraftTree) -> Output:
        self.model.forwards += 1
        self.pending = tree.tokens
        rows = []
        for node in range(len(tree)):
            path = [tree.tokens[0], *(tree.tokens[i] for i in tree.path(node))]
            rows.append(self.model.logits([*self.ids, *path]))
        return Output(torch.stack(rows), {})

    def keep(self, rows: Sequence[int]) -> None:
        self.ids.extend(self.pending[row] for row in rows)


@dataclass
class StubModel:
    """A target whose logits are a function of the ids so far."""

    script: Callable[[Sequence[int]], Sequence[float] | torch.Tensor]
    vocab_size: int = 16
    tokenizer: PreTrainedTokenizerFast | None = None
    eos_ids: frozenset[int] = frozenset()
    max_context: int = 4096
    name: str = "stub"
    origin: str = "scripted"
    dtype_name: str = "fp32"
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    forwards: int = 0
    costs: CostCurve | None = COSTS
    note: str = ""

    def describe(self) -> dict[str, object]:
        named = {"name": self.name, "weights": self.origin, "dtype": self.dtype_name}
        return named | {"device": self.device.type, "vocab_size": self.vocab_size}

    def logits(self, ids: Sequence[int]) -> torch.Tensor:
        return torch.as_tensor(self.script(ids), dtype=torch.float32)

    def session(self, capacity: int, layers: Sequence[int] = ()) -> StubSession:
        return StubSession(self, tuple(layers))


def one_hot(token: int, size: int = 16, height: float = 8.0) -> list[float]:
    """Logits that want ``token``."""
    return [height if i == token else 0.0 for i in range(size)]


def tiny_network(family: str = "llama", seed: int = 0, vocab: int = VOCAB, layers: int = 2, width: int = 64):
    """A random decoder with decided opinions (wide initialisation), a millisecond a forward."""
    torch.manual_seed(seed)
    config = AutoConfig.for_model(
        family,
        vocab_size=vocab,
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=width // 4,
        max_position_embeddings=512,
        initializer_range=0.25,
        eos_token_id=None,
        bos_token_id=None,
        pad_token_id=None,
    )
    return AutoModelForCausalLM.from_config(config).to(DEVICE)


def tiny_model(family: str = "llama", seed: int = 0, tokenizer=None, **size: int) -> LanguageModel:
    """A :class:`LanguageModel` around :func:`tiny_network`."""
    if tokenizer is not None:
        size.setdefault("vocab", len(tokenizer))
    model = LanguageModel(tiny_network(family, seed, **size), tokenizer, name=f"tiny-{family}")
    model.costs = COSTS
    return model


class IdsEncoder:
    """Reads "3 1 4" as the ids 3, 1, 4: a datastore for bare networks."""

    fingerprint = "ids"

    def __init__(self, vocabulary: int = VOCAB) -> None:
        self.vocabulary = vocabulary

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        lists = [np.array(text.split(), dtype=np.uint32) for text in texts]
        return [Encoded(ids, np.arange(len(ids), dtype=np.uint32) * 2) for ids in lists]


def id_store(*documents: Sequence[int], vocabulary: int = VOCAB) -> Datastore:
    """A datastore of token ids."""
    texts = {f"doc{i}.txt": " ".join(map(str, ids)) for i, ids in enumerate(documents)}
    return Datastore.from_texts(texts, IdsEncoder(vocabulary))


def tiny_head(target: LanguageModel, seed: int = 5, says: int | None = None) -> EagleHead:
    """A random EAGLE head that fits ``target`` and can say ``says`` of its tokens (default two thirds)."""
    torch.manual_seed(seed)
    width, vocab = target.embedding.shape[1], target.vocab_size
    says = says or 2 * vocab // 3
    config = EagleConfig("respec", width, 4, 2, width // 4, 2 * width, 1e-6, 1e4, (1, -1), vocab, says)
    head = EagleHead(config).to(DEVICE).eval().requires_grad_(False)
    head.draft_to_target.copy_(torch.randperm(vocab)[:says].sort().values)
    return head.attach(target.embedding)


def tiny_block(head: EagleHead, block: int = 5, seed: int = 6, cells: int = 20) -> BlockDiffusion:
    """A random block-diffusion drafter on ``head``, with a random Markov head."""
    torch.manual_seed(seed)
    c = head.config
    config = BlockConfig(c.hidden_size, 4, 2, c.head_dim, c.hidden_size, 2 * c.hidden_size, 2, block, 1e-6, 1e4)
    drafter = BlockDrafter(config).to(DEVICE).eval().requires_grad_(False)
    markov = MarkovHead(MarkovConfig(c.hidden_size, block, 12, 6, cells, 1e-6)).to(DEVICE).eval().requires_grad_(False)
    for parameter in (*drafter.parameters(), *markov.parameters()):
        parameter.copy_(torch.randn_like(parameter) * 0.3)
    return BlockDiffusion(drafter, head, markov=markov)


@dataclass
class ScriptedDiffusion(DiffusionModel):
    """A diffusion model whose logits ``[k]`` are a function of the ids so far, the position and what is known."""

    rows: Callable[[Sequence[int], int, Mapping[int, int]], Sequence[float]]

    def denoiser(self) -> Denoiser:
        return ScriptedDenoiser(self.rows)

    def describe(self):
        return {"kind": "scripted"}

    def corpus_counts(self):
        return None


class ScriptedDenoiser(Denoiser):
    """Its view for a run; ``asked`` keeps what was given in each pass."""

    longest = 64

    def __init__(self, rows) -> None:
        self.rows, self.asked = rows, []

    def log_p(self, ids, k, known):
        self.asked.append(dict(known))
        return torch.tensor([self.rows(ids, i, known) for i in range(k)]).log_softmax(-1)


def count_up(ids) -> list[float]:
    """Wants the next number, modulo 8."""
    return one_hot((ids[-1] + 1) % 8)


def counting_diffusion() -> ScriptedDiffusion:
    """Fills every position as :func:`count_up` would."""
    return ScriptedDiffusion(lambda ids, i, known: one_hot((ids[-1] + 1 + i) % 8))

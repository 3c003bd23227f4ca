"""The project's own block-diffusion drafter behind the common interface; it stands on the EAGLE head's states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from respec_core.engine.drafting import Round
from respec_core.methods.diffuspec.block_network import BlockDrafter, BlockSession
from respec_core.methods.diffuspec.context_rows import ContextRows
from respec_core.methods.diffuspec.corpus_counts import CorpusCounts
from respec_core.methods.diffuspec.denoiser import Denoiser, DiffusionModel, Filled
from respec_core.methods.diffuspec.linked_block import LinkedBlock, MarkovTables
from respec_core.methods.diffuspec.markov_head import MarkovHead
from respec_core.methods.diffuspec.one_pass import OnePass
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.eagle.reader import FIRST_CAPACITY, FeatureReader
from respec_core.methods.parts.written_texts import trained_on


@dataclass(frozen=True)
class BlockDiffusion(DiffusionModel):
    """Weights of the drafter and of the head it was trained on.

    Attributes:
        corpus: folder of the self-written texts it was trained on, if they are at hand.
        markov: what a token changes behind it, where that was trained.
    """

    drafter: BlockDrafter
    head: EagleHead
    corpus: Path | None = None
    markov: MarkovHead | None = None

    @cached_property
    def tables(self) -> MarkovTables | None:
        """Of the Markov head, where there is one."""
        return None if self.markov is None else MarkovTables.of(self.markov, self.head)

    @cached_property
    def one_pass(self) -> Callable[..., Tensor]:
        """The pass that drafts (:class:`OnePass`), compiled."""
        return OnePass.compiled(self.drafter)

    @cached_property
    def context_rows(self) -> Callable[..., Tensor]:
        """What the drafter keeps of what was read (:class:`ContextRows`), compiled."""
        return ContextRows.compiled(self.drafter)

    def denoiser(self) -> BlockDenoiser:
        """A fresh view for one run."""
        return BlockDenoiser(self)

    def describe(self) -> dict[str, Any]:
        """For the trace: what it is."""
        shape = {"block": self.drafter.config.block, "vocab_size": self.head.config.draft_vocab}
        return {"kind": "block", **shape, "markov": self.markov is not None}

    def corpus_counts(self) -> CorpusCounts | None:
        """n-grams of the corpus, counted once a process when first asked for."""
        return counted_corpus(self.corpus, self.head.config.target_vocab) if self.corpus is not None else None


@lru_cache(maxsize=4)
def counted_corpus(folder: Path, vocab: int) -> CorpusCounts | None:
    """n-grams of the texts in ``folder`` that a drafter was trained on, ids below ``vocab``; None if there are none."""
    tokens = trained_on(folder)
    return CorpusCounts.fit(tokens.numpy(), vocab) if len(tokens) else None


class BlockDenoiser(Denoiser):
    """Position 0 is the head's own guess, from the state it has anyway; one pass fills the rest of the block."""

    steady = True  # the whole block is filled anyway

    def __init__(self, model: BlockDiffusion) -> None:
        self.head, self.tables = model.head, model.tables
        self.links = self.tables is not None
        self.hidden_layers = model.head.config.feature_layers
        self.longest = model.drafter.config.block
        self.tokens = model.head.draft_to_target
        self.trained_context = model.head.config.context
        self.reader = FeatureReader(model.head)
        self.block = BlockSession(model.drafter, model.head, FIRST_CAPACITY, model.context_rows)
        self.one_pass = model.one_pass
        self._first: Tensor | None = None  # log-probabilities of position 0, until more is read

    def prefilled(self, hidden: Mapping[int, Tensor]) -> None:
        """Keep the chunk's features."""
        self.reader.prefilled(hidden)

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""
        self.reader.begin(prompt)
        self._read()

    def observe(self, round: Round) -> None:
        """Keep the true features of what was committed."""
        self.reader.observe(round)

    def ready(self) -> bool:
        """Whether the target has shown a feature yet."""
        self._read()
        return self.block.length > 0

    @torch.inference_mode()
    def log_p(self, ids: Sequence[int], k: int, known: Mapping[int, int]) -> Tensor:
        """Log-probabilities over the draft vocabulary ``[k, draft_vocab]``."""
        first = self._guesses()
        if k == 1:
            return first[None]
        if known:
            given = {0: int(self.head.draft_to_target[first.argmax()]), **known}
            states = self.block.hidden(given, self.reader.session.committed)
        else:
            states = self._states(first.argmax())
        return torch.cat((first[None], self.reader.session.log_p(states[1:k])))

    @torch.inference_mode()
    def linked(self, ids: Sequence[int], k: int, width: int) -> Filled:
        """One pass over the block, then position by position behind the candidates before."""
        assert self.tables is not None
        first = self._guesses()
        given = first.argmax()
        states = self._states(given)[1:k]
        said = self.reader.session.log_p(states)
        return LinkedBlock(self.tables, first, given, self.head.output_norm(states), said).filled(width)

    @torch.inference_mode()
    def sure(self) -> float:
        """The head's."""
        return float(self._guesses().max().exp())

    def _states(self, given: Tensor) -> Tensor:
        """Of the whole block behind the guess ``given``, ``[block, hidden]``."""
        embedded = self.head.embedding[self.head.draft_to_target[given]]
        past = (self.reader.session.committed, *self.block.past)
        base = torch.tensor(self.block.length - 1, device=embedded.device)
        return self.one_pass(embedded, self.block.state, base, *chain.from_iterable(past))

    def _guesses(self) -> Tensor:
        if self._first is None:
            self._first = self.reader.session.log_p(self.block.state[None])[0]
        return self._first

    def _read(self) -> None:
        for states in self.reader.read():
            self.block.extend(states)
            self._first = None

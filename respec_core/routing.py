"""Who drafts next, and why. A router owns the run's drafters and turns a context into a decision and a draft."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Literal

import torch

from respec_core.drafters.base import Context, Draft, Drafter, MatchDrafter, Round
from respec_core.trace import Decision, Hit, Match
from respec_core.tree import DraftTree

Kind = Literal["model", "retrieval", "fused", "diffusion", "schema", "none"]


class Router(ABC):
    """Decides each round. ``drafters`` are told everything, whoever drafted."""

    drafters: tuple[Drafter, ...] = ()

    @property
    def hidden_layers(self) -> tuple[int, ...]:
        """Every hidden layer some drafter reads."""
        return tuple(dict.fromkeys(layer for drafter in self.drafters for layer in drafter.hidden_layers))

    def prefilled(self, hidden: Mapping[int, torch.Tensor]) -> None:
        """Pass a prompt chunk's hidden states on."""
        for drafter in self.drafters:
            drafter.prefilled(hidden)

    def begin(self, prompt: Sequence[int]) -> None:
        """Pass the prompt on."""
        for drafter in self.drafters:
            drafter.begin(prompt)

    @abstractmethod
    def route(self, context: Context) -> tuple[Decision, Draft]:
        """The decision and its draft."""

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Let every drafter learn; returns the hits of the one that had any."""
        hits: tuple[Hit, ...] = ()
        for drafter in self.drafters:
            hits = drafter.observe(round) or hits
        return hits


class Plain(Router):
    """No draft: plain autoregressive decoding through the same code, the baseline."""

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Always nothing."""
        decision = Decision(chosen="none", rule="always", reason="plain decoding drafts nothing")
        return decision, Draft(DraftTree.root(context.root))


class Always(Router):
    """One drafter, asked every round."""

    def __init__(self, drafter: Drafter, kind: Kind) -> None:
        self.drafters = (drafter,)
        self.kind = kind

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Whatever the drafter has."""
        draft = self.drafters[0].propose(context)
        found = draft.size > 0
        retrieved = found and self.kind == "retrieval"
        decision = Decision(
            chosen=self.kind if found else "none", rule="always", reason=draft.reason, triggered=retrieved
        )
        return decision, draft


class MatchLength(Router):
    """SAM-Decoding's switch (arXiv 2411.10666, algorithms §5.2): copy behind a long match, else abstain."""

    def __init__(self, sam: MatchDrafter, threshold: int) -> None:
        self.drafters = (sam,)
        self.sam = sam
        self.threshold = threshold

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Copy if the matched suffix is at least ``threshold`` long."""
        length = self.sam.match_length
        match = Match(dyn=length, threshold=self.threshold)
        if length >= self.threshold:
            draft = self.sam.propose(context)
            reason = f"the last {length} tokens occurred before (threshold {self.threshold})"
            return Decision(chosen="retrieval", rule="match_len", reason=reason, triggered=True, match=match), draft
        reason = f"longest match {length} is below the threshold {self.threshold}: abstain"
        decision = Decision(chosen="none", rule="match_len", reason=reason, match=match)
        return decision, Draft(DraftTree.root(context.root))

"""Who drafts next, and why. A router owns the run's drafters and turns a context into a decision and a draft."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import torch

from respec_core.engine.drafting import Context, Draft, Drafter, Round
from respec_core.engine.tree import DraftTree
from respec_core.trace.round import Chosen, Decision, Hit


class Router(ABC):
    """Decides each round. ``drafters`` are told everything, whoever drafted."""

    drafters: tuple[Drafter, ...] = ()
    #: whether it ever drafts, so that there is a size to choose
    drafts = True

    @property
    def hidden_layers(self) -> tuple[int, ...]:
        """Every hidden layer some drafter reads."""
        return tuple(dict.fromkeys(layer for drafter in self.drafters for layer in drafter.hidden_layers))

    @property
    def trained_context(self) -> int | None:
        """Tokens of context that its drafting model was trained on, the least if there are several."""
        return min((d.trained_context for d in self.drafters if d.trained_context is not None), default=None)

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

    drafts = False

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Always nothing."""
        decision = Decision(chosen="none", rule="always", reason="plain decoding drafts nothing")
        return decision, Draft(DraftTree.root(context.root))


class Always(Router):
    """One drafter, asked every round."""

    def __init__(self, drafter: Drafter, chosen: Chosen) -> None:
        self.drafters = (drafter,)
        self.chosen = chosen

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Whatever the drafter has."""
        draft = self.drafters[0].propose(context)
        found = draft.size > 0
        retrieved = found and self.chosen == "retrieval"
        decision = Decision(
            chosen=self.chosen if found else "none", rule="always", reason=draft.reason, triggered=retrieved
        )
        return decision, draft

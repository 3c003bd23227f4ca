"""The contract of a drafter: be told the prompt, propose a tree, be told what came of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import torch

from respec_core.engine.clock import PhaseClock
from respec_core.engine.first_step import FirstStep
from respec_core.engine.pieces import Pieces
from respec_core.engine.sampling import Sampler
from respec_core.engine.sizing import Worth
from respec_core.engine.transfer import Transfer
from respec_core.engine.tree import DraftTree
from respec_core.trace.record import MethodRecord
from respec_core.trace.round import Hit, PrunedBy


@dataclass(frozen=True)
class Context:
    """What a drafter may look at when it proposes.

    Attributes:
        ids: committed ids, the root last; read-only.
        prompt_len: how many of them are the prompt.
        room: the deepest draft that can still be committed in full.
        entropies: target entropies in nats of the newest confirmed tokens, newest first.
        sampler: the run's sampler, for drafters that sample.
        clock: name what you spend time on (``retrieve``, ``draft``, ``search``, ``fuse``).
        pieces: how tokens read, for hits and reasons.
        worth: what drafting must earn to pay for its time; None where time does not count.
        told: whether anybody reads what is said of the round; where nobody does, texts and records can be left out.
    """

    ids: Sequence[int]
    prompt_len: int
    room: int
    entropies: Sequence[float]
    sampler: Sampler
    clock: PhaseClock
    pieces: Pieces
    worth: Worth | None = None
    told: bool = True

    @property
    def root(self) -> int:
        """The last committed token, node 0 of every draft."""
        return self.ids[-1]


@dataclass(frozen=True)
class Part:
    """A tree that a draft was made from, as it grew.

    Attributes:
        pruned: nodes that the drafter dropped itself, and why.
    """

    tree: DraftTree
    pruned: Mapping[int, PrunedBy] = field(default_factory=dict)


PartName = Literal["drafter", "retrieval"]


class Extension(Protocol):
    """What a draft carries for its method's own records of the round."""

    def records(self, path: Sequence[int], tree: DraftTree, pieces: Pieces) -> Mapping[str, MethodRecord]:
        """By their names in the trace, once the target has spoken.

        Args:
            path: accepted nodes of ``tree``, the verified one.
        """


@dataclass(frozen=True)
class Draft:
    """A proposal.

    Attributes:
        tree: what to verify; only the root when there is nothing to propose.
        hits: the retrieved continuations behind it, also those not used.
        distributions: for nodes whose one child was sampled, the distribution it came from. Whether a sampled token is
            part of the draft may depend on the tokens before it, never on itself or on later ones; else samples would
            not follow the target.
        transfer: how the target is pulled towards these distributions before it accepts, if at all.
        parts: what it was cut or fused from, where that differs from ``tree``.
        first: a model drafter's distribution behind the root.
        reason: why this draft, in a few words.
        extension: what its method wants recorded of it beside.
    """

    tree: DraftTree
    hits: tuple[Hit, ...] = ()
    distributions: Mapping[int, torch.Tensor] = field(default_factory=dict)
    transfer: Transfer | None = None
    parts: Mapping[PartName, Part] = field(default_factory=dict)
    first: FirstStep | None = None
    reason: str = ""
    extension: Extension | None = None

    @property
    def size(self) -> int:
        """Nodes below the root."""
        return len(self.tree) - 1

    @property
    def sampled(self) -> bool:
        """Whether the tree is a chain of sampled tokens."""
        return bool(self.distributions)


@dataclass(frozen=True)
class Round:
    """What verification made of a draft, after stops.

    Attributes:
        tree: the verified tree (the draft, cut to the remaining room).
        path: accepted nodes.
        emitted: committed ids: the path's tokens and the target's own.
        logits: float32 ``[nodes, vocab]``, the target's opinion after each node.
        hidden: layer to ``[nodes, width]`` for the layers the method asked for.
        hits: the draft's hits.
        ids: all committed ids, the emitted ones included.
    """

    tree: DraftTree
    path: tuple[int, ...]
    emitted: tuple[int, ...]
    logits: torch.Tensor
    hidden: Mapping[int, torch.Tensor]
    hits: tuple[Hit, ...]
    ids: Sequence[int]


class Drafter(ABC):
    """Proposes drafts. One instance lives for one run and holds all of its state."""

    #: hidden states of the target this drafter reads (layer numbers; 0 is the embedding, -1 the last)
    hidden_layers: tuple[int, ...] = ()
    #: tokens of context that its model was trained on; None where there is no model, or it does not say
    trained_context: int | None = None

    def begin(self, prompt: Sequence[int]) -> None:  # noqa: B027 - optional
        """The prompt is known and in the target's cache, but for its last token."""

    def prefilled(self, hidden: Mapping[int, torch.Tensor]) -> None:  # noqa: B027 - optional
        """Hidden states ``[tokens, width]`` of the next prompt chunk, for those who asked."""

    @abstractmethod
    def propose(self, context: Context) -> Draft:
        """A draft tree below ``context.root``, at most ``context.room`` deep."""

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Learn from the verified round; returns the hits as they stand afterwards (scores, accepted counts)."""
        return credit(round)


def credit(round: Round) -> tuple[Hit, ...]:
    """The round's hits with proposed and accepted token counts filled in."""
    proposed: dict[int, int] = {}
    for hits in round.tree.hits:
        for hit in hits:
            proposed[hit] = proposed.get(hit, 0) + 1
    accepted: dict[int, int] = {}
    for node in round.path:
        for hit in round.tree.hits[node]:
            accepted[hit] = accepted.get(hit, 0) + 1
    return tuple(
        hit.model_copy(update={"proposed": proposed[hit.id], "accepted": accepted.get(hit.id, 0)})
        if hit.id in proposed
        else hit
        for hit in round.hits
    )

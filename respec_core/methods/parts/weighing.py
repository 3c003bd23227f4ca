"""Copies, the model's draft, or both: by expected tokens over measured cost (ours; arXiv 2511.01282 switches by entropy).

Copies bring what their path scores add up to, which are this run's record of such copies (``lineage.py``). The model
brings what its drafts brought at such an entropy. Imports no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, repeat
from operator import mul
from typing import Literal

from respec_core.engine.records import PRIOR, Records, level, walked
from respec_core.engine.sizing import paying
from respec_core.engine.tree import DraftTree
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.round import Node, Option

Way = Literal["copies", "model", "both"]
ENTROPY_LEVELS = (0.25, 0.5, 1.0, 1.5, 2.5)  # nats at which the model's record is split
MODEL_GUESS = 0.7  # rate of a level before the run has shown its own
MODEL_DEPTH = 6  # levels of its draft, before there was one
MODEL_NODES = 8  # of it that the clock keeps, before there was one
SMOOTHING = 0.2  # weight of the newest round in what drafting costs and in how many nodes are verified


@dataclass
class Weighing:
    """What drafts yielded in this run, and what a round of each way costs.

    Attributes:
        model: the model's drafts, by entropy.
        depth: levels of its newest draft.
        draft_ms: what its draft takes.
        nodes: how many are verified, by way.
        claimed: accepted tokens expected of rounds that took both.
        accepted: what these brought.
    """

    model: Records = field(default_factory=Records)
    depth: int = MODEL_DEPTH
    draft_ms: float | None = None
    nodes: dict[Way, float] = field(default_factory=dict)
    claimed: float = 0.0
    accepted: float = 0.0

    def options(
        self,
        entropy: float | None,
        copied: DraftTree,
        nodes: int,
        costs: CostCurve | None = None,
        rate: float | None = None,
    ) -> tuple[Option, ...]:
        """What every way is expected to bring, and to cost where there is a cost curve.

        Both bring what at least one of the two gets right, as if they erred independently, corrected by how such
        claims held; never less than one of them alone, as one tree holds the likeliest nodes of either.

        Args:
            entropy: of the newest tokens, the calmest window's mean in nats; None before the first round.
            copied: the copies.
            nodes: most that are verified below the root.
            costs: of the target's forwards, where time counts.
            rate: tokens a millisecond; copies are weighed at the size that pays. None of earlier runs, which weighed them
                whole.
        """
        copied = copied.prune(nodes) if costs is None or rate is None else _paying(copied, nodes, costs, rate)
        copies = _levels(copied)
        further = self.model.rates(_kind(entropy, 1), repeat(MODEL_GUESS, self.depth - 1))
        model = [*accumulate((*self.model.rates(_kind(entropy, 0), (MODEL_GUESS,)), *further), mul)]
        either = sum(1 - (1 - p) * (1 - q) for p, q in _padded(copies, model))
        trust = min(1.0, (self.accepted + PRIOR) / (self.claimed + PRIOR))
        alone: dict[Way, float] = {"copies": sum(copies), "model": sum(model)}
        gains: dict[Way, float] = {"both": max(either * trust, *alone.values()), **alone}
        if costs is None:
            return tuple(Option.trusted(way=way, tokens=1 + gain) for way, gain in gains.items())
        sizes = (
            {way: self.nodes.get(way, nodes) for way in gains} if rate is None else self._sizes(len(copied) - 1, nodes)
        )
        return tuple(
            Option.trusted(
                way=way,
                tokens=1 + gain,
                ms=costs.ms(1 + round(sizes[way])) + (0.0 if way == "copies" else self.draft_ms or 0.0),
                nodes=None if rate is None else round(sizes[way]),
            )
            for way, gain in gains.items()
        )

    def _sizes(self, copied: int, nodes: int) -> dict[Way, float]:
        """How many nodes are verified, by way: the ``copied`` ones that pay, and as many of the model's as it was so far."""
        model = self.nodes.get("model", MODEL_NODES)
        return {"copies": copied, "model": model, "both": min(copied + model, nodes)}

    def learn(self, entropy: float | None, options: Sequence[Option], way: Way, seen: Seen) -> None:
        """Count a round that went the ``way``; ``options`` were weighed before it."""
        if seen.drafted is not None:
            right, judged = walked(seen.drafted, seen.emitted)
            for at in range(judged):
                self.model.add(_kind(entropy, at), right=at < right)
            self.depth = max(seen.drafted.depths)
        if seen.draft_ms is not None:
            self.draft_ms = _smooth(self.draft_ms, seen.draft_ms)
        self.nodes[way] = _smooth(self.nodes.get(way), seen.verified)
        if way == "both":
            self.claimed += next((option.tokens - 1 for option in options if option.way == way), 0.0)
            self.accepted += len(seen.emitted) - 1


@dataclass(frozen=True)
class Seen:
    """What came of a round.

    Attributes:
        emitted: committed ids.
        verified: nodes below the root.
        drafted: the model's whole draft, None where there is none to judge.
        draft_ms: the time that drafting took, None where nobody was asked.
    """

    emitted: Sequence[int]
    verified: int
    drafted: DraftTree | None
    draft_ms: float | None


def best(options: Sequence[Option], rate: float | None) -> Way:
    """The way that yields most: tokens, less what the time would bring at ``rate`` tokens a millisecond."""
    return max(options, key=lambda option: option.tokens - (rate or 0.0) * (option.ms or 0.0)).way


def tree_of(nodes: Sequence[Node]) -> DraftTree:
    """Tokens and parents of recorded nodes, among them every ancestor."""
    place = {node.id: i for i, node in enumerate(nodes)}
    return DraftTree.grown(
        [node.token for node in nodes],
        [place.get(node.parent, -1) for node in nodes],
        "recorded",
        scores=[1.0] * len(nodes),
    )


def _kind(entropy: float | None, at: int) -> tuple[int, bool]:
    """The model's first level, and each further one, at such an entropy."""
    return -1 if entropy is None else level(entropy, ENTROPY_LEVELS), at > 0


def _paying(copied: DraftTree, nodes: int, costs: CostCurve, rate: float) -> DraftTree:
    order = copied.best(nodes)
    return copied.keep(order[: paying([copied.scores[i] for i in order], rate, costs)])


def _levels(tree: DraftTree) -> list[float]:
    """The chance that a level's token is accepted: its nodes exclude each other."""
    chances = [0.0] * max(tree.depths)
    for depth, score in zip(tree.depths[1:], tree.scores[1:], strict=True):
        chances[depth - 1] += score
    return [min(chance, 1.0) for chance in chances]


def _padded(a: Sequence[float], b: Sequence[float]) -> list[tuple[float, float]]:
    n = max(len(a), len(b))
    return [*zip([*a, *[0.0] * (n - len(a))], [*b, *[0.0] * (n - len(b))], strict=True)]


def _smooth(old: float | None, new: float) -> float:
    return new if old is None else old + SMOOTHING * (new - old)

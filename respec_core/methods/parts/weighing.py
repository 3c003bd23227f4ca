"""Copies, the model's draft, or both: by expected tokens over measured cost (ours; arXiv 2511.01282 switches by entropy).

Copies bring what their path scores add up to, which are this run's record of such copies (``lineage.py``). The model
brings what its trees brought at such an entropy. Imports no torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import mul
from typing import Literal

from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.records import Records, level, walked
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.round import Node, Option

Way = Literal["copies", "model", "both"]
ENTROPY_LEVELS = (0.25, 0.5, 1.0, 1.5, 2.5)  # nats at which the model's record is split
MODEL_GUESS = 0.7  # rate of a level before the run has shown its own
MODEL_DEPTH = 6  # levels of its draft, before there was one
MODEL_SHARE = 7.0  # nodes that it has beside copies, before there were any
SMOOTHING = 0.2  # weight of the newest round in what drafting costs and in how many nodes are verified


@dataclass
class Weighing:
    """What the model's drafts yielded in this run, and what a round of each way costs.

    Attributes:
        model: its whole drafts, by entropy.
        beside: what of them was verified beside copies.
        share: nodes that it had there.
        depth: levels of its newest draft.
        draft_ms: what its draft takes.
        nodes: how many are verified, by way.
    """

    model: Records = field(default_factory=Records)
    beside: Records = field(default_factory=Records)
    share: float = MODEL_SHARE
    depth: int = MODEL_DEPTH
    draft_ms: float | None = None
    nodes: dict[Way, float] = field(default_factory=dict)

    def options(
        self, entropy: float | None, copied: DraftTree, nodes: int, costs: CostCurve | None
    ) -> tuple[Option, ...]:
        """What every way is expected to bring, and to cost where there is a cost curve.

        Args:
            entropy: of the newest tokens, the calmest window's mean in nats; None before the first round.
            copied: the copies.
            nodes: most that are verified below the root.
        """
        model, beside = (_chances(records, entropy, self.depth) for records in (self.model, self.beside))
        fewer = _levels(copied.prune(max(nodes - round(self.share), 0)))
        both = [1 - (1 - p) * (1 - q) for p, q in _padded(fewer, beside)]
        expected: dict[Way, float] = {
            "copies": 1 + sum(_levels(copied.prune(nodes))),
            "model": 1 + sum(model),
            "both": 1 + sum(both),
        }
        return tuple(
            Option.model_construct(way=way, tokens=tokens, ms=self._ms(way, nodes, costs) if costs else None)
            for way, tokens in expected.items()
        )

    def _ms(self, way: Way, nodes: int, costs: CostCurve) -> float:
        verify = costs.ms(1 + round(self.nodes.get(way, nodes)))
        return verify + (0.0 if way == "copies" else self.draft_ms or 0.0)

    def learn(
        self,
        entropy: float | None,
        way: Way,
        drafts: Mapping[Way, DraftTree],
        emitted: Sequence[int],
        verified: int,
        draft_ms: float | None,
    ) -> None:
        """Count a round.

        Args:
            drafts: the model's whole draft as ``model``; as ``both`` what of it was verified beside copies.
            verified: nodes below the root.
            draft_ms: the model's time, None where it was not asked.
        """
        if (whole := drafts.get("model")) is not None:
            _judge(self.model, entropy, whole, emitted)
            self.depth = max(whole.depths)
        if (part := drafts.get("both")) is not None:
            _judge(self.beside, entropy, part, emitted)
            self.share = _smooth(self.share, len(part) - 1)
        self.nodes[way] = _smooth(self.nodes.get(way), verified)
        if draft_ms is not None:
            self.draft_ms = _smooth(self.draft_ms, draft_ms)


def best(options: Sequence[Option], rate: float | None) -> Way:
    """The way that yields most: tokens, less what the time would bring at ``rate`` tokens a millisecond."""
    return max(options, key=lambda option: option.tokens - (rate or 0.0) * (option.ms or 0.0)).way


def common(tree: DraftTree, other: DraftTree) -> DraftTree:
    """The nodes of ``tree`` that ``other`` has too."""
    return tree.keep(i for i, at in enumerate(other.places_of(tree)) if at is not None)


def tree_of(nodes: Sequence[Node]) -> DraftTree:
    """Tokens and parents of recorded nodes, among them every ancestor."""
    place = {node.id: i for i, node in enumerate(nodes)}
    return DraftTree.grown(
        [node.token for node in nodes],
        [place.get(node.parent, -1) for node in nodes],
        "recorded",
        scores=[1.0] * len(nodes),
    )


def _chances(records: Records, entropy: float | None, depth: int) -> list[float]:
    """How likely 1, 2 … ``depth`` levels of the model's draft are accepted."""
    return [*accumulate((records.rate(_kind(entropy, at), MODEL_GUESS) for at in range(depth)), mul)]


def _judge(records: Records, entropy: float | None, tree: DraftTree, emitted: Sequence[int]) -> None:
    right, judged = walked(tree, emitted)
    for at in range(judged):
        records.add(_kind(entropy, at), right=at < right)


def _kind(entropy: float | None, at: int) -> tuple[int, bool]:
    """The model's first level, and each further one, at such an entropy."""
    return -1 if entropy is None else level(entropy, ENTROPY_LEVELS), at > 0


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

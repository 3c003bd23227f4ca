"""The best that any router could have done with the drafters at hand, and where a run loses against it.

Positions of the text are places, drafts are ways between them: from position i a draft of which a tokens would be
accepted leads to i + 1 … i + 1 + a, as it can be cut. The shortest way to the end, in passes or predicted milliseconds,
is the oracle's; it knows the text, which no router does. A round from i to j that costs c loses ``c + V(j) − V(i)``
against it, V being the way that is left; the losses of a run add up to its whole distance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from respec_core.lab.replay import Replay, ReplayedRound
from respec_core.lab.survey import Offered, drafted_by
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.round import Chosen

Cause = Literal["copied in vain", "a copy was there", "tree too small", "tree too large", "wrong drafter"]
PLAIN, OWN = "plain", "the run's own"
COPIED: frozenset[Chosen] = frozenset({"retrieval"})  # a node that no model proposed too
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Leg:
    """From one position to a later one.

    Attributes:
        drafter: label of the drafter; ``plain`` without a draft, or what the run itself sent.
        nodes: verified below the root.
        cost: passes or milliseconds.
        by: who drafted each accepted token; empty for what the run itself sent.
    """

    start: int
    end: int
    drafter: str
    nodes: int
    cost: float
    by: tuple[frozenset[Chosen], ...] = ()


def legs(offers: Mapping[str, Sequence[Offered]], length: int, costs: CostCurve | None) -> list[list[Leg]]:
    """All ways by the position where they start.

    Args:
        offers: by the drafter's label, one a position.
        costs: milliseconds of forwards; None counts passes.
    """
    found = [[Leg(at, at + 1, PLAIN, 0, _cost(costs, 0, 0.0))] for at in range(length)]
    for drafter, row in offers.items():
        for at, offered in enumerate(row[:length]):
            for accepted, nodes in enumerate(offered.needed, 1):
                end = min(at + accepted + 1, length)  # the target's own token behind, if there is room
                cost, by = _cost(costs, nodes, offered.ms), offered.by[:accepted]
                found[at].append(Leg(at, end, drafter, nodes, cost, by))
    return found


def driven(replay: Replay, costs: CostCurve | None) -> list[Leg]:
    """The ways that a run took."""
    return [
        Leg(
            round.position,
            round.position + len(round.emitted),
            OWN,
            len(round.draft.tree) - 1,
            _cost(costs, len(round.draft.tree) - 1, round.draft_ms),
        )
        for round in replay.rounds
    ]


def shortest(found: Sequence[Sequence[Leg]]) -> tuple[list[float], list[Leg]]:
    """What is left from every position on, ``[positions + 1]``, and the ways that the oracle takes from the start."""
    left, best = [0.0] * (len(found) + 1), list[Leg]()
    for here in reversed(found):
        way = min(here, key=lambda way: way.cost + left[way.end])
        left[way.start] = way.cost + left[way.end]
        best.append(way)
    best.reverse()
    path, at = [], 0
    while at < len(found):
        path.append(best[at])
        at = best[at].end
    return left, path


@dataclass(frozen=True)
class Regret:
    """Of one text.

    Attributes:
        best: the oracle's cost.
        spent: the run's; ``lost`` is what is between, by cause, and ``rounds`` how many rounds lost by it.
    """

    best: float
    spent: float
    lost: Mapping[Cause, float]
    rounds: Mapping[Cause, int]
    path: tuple[Leg, ...]


def regret(
    replay: Replay, offers: Mapping[str, Sequence[Offered]], length: int, costs: CostCurve | None = None
) -> Regret:
    """Where ``replay`` loses against the oracle, whose ways are those of ``offers`` and the run's own."""
    found, run = legs(offers, length, costs), driven(replay, costs)
    for way in run:
        found[way.start].append(way)
    left, path = shortest(found)
    lost: dict[Cause, float] = {}
    rounds: dict[Cause, int] = {}
    for way, round in zip(run, replay.rounds, strict=True):
        amount = way.cost + left[way.end] - left[way.start]
        if amount > TOLERANCE:
            wanted = min(found[way.start], key=lambda other: (other.cost + left[other.end], other.nodes))
            cause = _cause(round, way, wanted)
            lost[cause] = lost.get(cause, 0.0) + amount
            rounds[cause] = rounds.get(cause, 0) + 1
    return Regret(left[0], sum(way.cost for way in run), lost, rounds, tuple(path))


def _cost(costs: CostCurve | None, nodes: int, ms: float) -> float:
    return 1.0 if costs is None else costs.ms(1 + nodes) + ms


def _cause(round: ReplayedRound, way: Leg, wanted: Leg) -> Cause:
    """Why a round that went ``way`` lost, where ``wanted`` was best."""
    nodes = [drafted_by(sources) for sources in round.draft.tree.sources]
    sent, copies = frozenset[Chosen]().union(*nodes), nodes.count(COPIED)
    vain = copies > 0 and not any(nodes[node] == COPIED for node in round.path)
    if vain and copies == way.nodes:
        return "copied in vain"
    lacking = next((by for by in wanted.by if not by & sent), None)
    if wanted.end > way.end:
        if lacking is None and wanted.nodes > way.nodes:
            return "tree too small"
        copied = COPIED in wanted.by if lacking is None else "retrieval" in lacking
        if copied:
            return "a copy was there"
        return "copied in vain" if lacking is None and vain and wanted.nodes > way.nodes - copies else "wrong drafter"
    if vain and wanted.cost < way.cost and 2 * copies >= way.nodes - wanted.nodes:
        return "copied in vain"
    if lacking is None or wanted.end == way.end:
        return "tree too large"
    return "a copy was there" if "retrieval" in lacking else "wrong drafter"

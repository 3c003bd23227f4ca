"""What settings come to on the texts of an atlas, text by text, and how far other prompts might move it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from respec_core.bench.intervals import Interval, bootstrap
from respec_core.lab.recorded_models import Stage
from respec_core.lab.replay import Replay, ReplayedRound, replay
from respec_core.lab.survey import needed
from respec_core.lab.sweep import Tally
from respec_core.settings.run_config import RunConfig
from respec_core.trace.benefit import Benefit, sizes
from respec_core.trace.cost_curve import CostCurve, averaged

Figure = NDArray[np.float64]


@dataclass(frozen=True)
class PlayedRound:
    """A replayed round in numbers.

    Attributes:
        start, end: positions of the output that it wrote.
        nodes: verified below the root; ``deepest`` of them lies so deep.
        accepted: drafted tokens that were; ``goes_on`` whether nodes hang below the last of them.
        needed: for 1, 2 … accepted tokens the size of the likeliest part of the draft that holds them.
        ms: recorded milliseconds of drafting.
    """

    start: int
    end: int
    chosen: str
    nodes: int
    deepest: int
    accepted: int
    goes_on: bool
    needed: tuple[int, ...]
    ms: float


@dataclass(frozen=True)
class Outcome:
    """Settings on one text. ``costs`` are what a round costs on it, None where that was not measured."""

    id: str
    kind: str
    tokens: int
    rounds: tuple[PlayedRound, ...]
    costs: CostCurve | None

    @cached_property
    def forward_ms(self) -> float:
        """Predicted milliseconds of the target's forwards; 0 without costs."""
        return sum(self.costs.ms(1 + round.nodes) for round in self.rounds) if self.costs else 0.0

    @cached_property
    def drafting_ms(self) -> float:
        """Recorded milliseconds of drafting."""
        return sum(round.ms for round in self.rounds)

    @cached_property
    def by_size(self) -> list[list[int]]:
        """Of each round, the accepted nodes among its 1, 2, … likeliest."""
        return [_by_size(round) for round in self.rounds]

    @cached_property
    def tally(self) -> Tally:
        """Its sums."""
        if self.costs is None:
            return Tally(self.tokens, len(self.rounds))
        ms, plain = self.forward_ms + self.drafting_ms, self.tokens * self.costs.ms(1)
        return Tally(self.tokens, len(self.rounds), ms, plain)


def _by_size(round: PlayedRound) -> list[int]:
    there = [0] * round.nodes
    for size in round.needed:
        there[size - 1] = 1
    return [*accumulate(there)]


def outcome(stage: Stage, id: str, kind: str, config: RunConfig) -> Outcome:
    """``config`` on a text.

    Raises:
        ReSpecError: for what cannot be replayed, or was not recorded.
    """
    return told(replay(stage, config), id, kind, stage.costs)


def told(played: Replay, id: str, kind: str, costs: CostCurve | None) -> Outcome:
    """A replay in numbers."""
    return Outcome(id, kind, played.tokens, tuple(map(_round, played.rounds)), costs)


def _round(round: ReplayedRound) -> PlayedRound:
    tree, path = round.draft.tree, round.path
    return PlayedRound(
        round.position,
        round.position + len(round.emitted),
        round.decision.chosen,
        len(tree) - 1,
        max(tree.depths),
        len(path),
        bool(tree.children[path[-1] if path else 0]),
        needed(tree, path) if path else (),
        round.draft_ms,
    )


@dataclass(frozen=True)
class Summed:
    """Several texts together, each figure with its interval by bootstrap over prompts; None for fewer than two."""

    texts: int
    total: Tally
    mat: Interval | None
    ratio: Interval | None


def summed(tallies: Sequence[Tally]) -> Summed:
    """All of ``tallies``, of one text at least."""
    total, n = Tally(), len(tallies)
    for one in tallies:
        total.add(one)
    tokens, passes = _column(tallies, lambda t: t.tokens), _column(tallies, lambda t: t.passes)
    ms, plain = _column(tallies, lambda t: t.ms or 0.0), _column(tallies, lambda t: t.plain_ms or 0.0)
    return Summed(
        n,
        total,
        bootstrap(n, _ratio(tokens, passes)) if passes.all() else None,
        bootstrap(n, _ratio(plain, ms)) if ms.all() else None,
    )


def _column(tallies: Sequence[Tally], of: Callable[[Tally], Any]) -> Figure:
    return np.array([*map(of, tallies)], np.float64)


def _ratio(above: Figure, below: Figure) -> Callable[[NDArray[np.int64]], Figure]:
    return lambda drawn: above[drawn].sum(axis=1) / below[drawn].sum(axis=1)


def kinds(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """By kind, in the order of the atlas."""
    found: dict[str, list[Outcome]] = {}
    for one in outcomes:
        found.setdefault(one.kind, []).append(one)
    return found


NO_VERDICT = "Nothing is drafted under these settings, or the atlas holds no cost curve to predict time from."


def verdict(found: Benefit | None) -> str:
    """Whether drafting is :func:`predicted` to help, by how much, and which term loses; one sentence or two."""
    if found is None:
        return NO_VERDICT
    return ("Predicted to help. " if found.ratio >= 1 else "Predicted not to help. ") + found.sentence()


def predicted(outcomes: Sequence[Outcome]) -> Benefit | None:
    """Whether drafting pays on these texts, by their costs; None without them, or where nothing is drafted.

    Looking for copies counts nothing; committing is in the forward's time.
    """
    rounds = [round for one in outcomes for round in one.rounds]
    curves = [one.costs for one in outcomes if one.costs is not None]
    drafted = sum(round.nodes for round in rounds)
    if len(curves) < len(outcomes) or not drafted:
        return None
    costs = averaged(curves, [one.tokens for one in outcomes])
    n, plain = len(rounds), costs.ms(1)
    drafting = sum(one.drafting_ms for one in outcomes) / n / plain
    ranked = [accepted for one in outcomes for accepted in one.by_size]
    return Benefit(
        tokens=sum(one.tokens for one in outcomes) / n,
        nodes=drafted / n,
        verify=sum(one.forward_ms for one in outcomes) / n / plain,
        drafting=drafting,
        rest=0.0,
        sizes=sizes(ranked, costs, plain, drafting),
    )

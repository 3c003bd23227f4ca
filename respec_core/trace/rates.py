"""A run's rates with the counts behind them, each None where it has no meaning: nothing drafted, no trigger. No torch.

The summary's own fields are plain numbers, 0 in these cases; whoever shows a rate to a reader asks here.
"""

from __future__ import annotations

from dataclasses import dataclass

from respec_core.trace.positions import by_position
from respec_core.trace.round import RETRIEVED_SOURCES, Step
from respec_core.trace.schema import Run

TRIGGERS = frozenset({"entropy", "match_len"})  # rules that decide, round by round, whether to retrieve
MISSING = "–"
FEW = 20  # below, a share is told as its counts


@dataclass(frozen=True)
class Rate:
    """``part`` of ``whole``, which is at least 1."""

    part: int
    whole: int

    @property
    def share(self) -> float:
        """``part`` ÷ ``whole``."""
        return self.part / self.whole


def node_acceptance(run: Run) -> Rate | None:
    """Accepted draft nodes of those sent to the target. A tree sends many for one path, so this is small for trees."""
    drafted = sum(len(step.trees.final) - 1 for step in run.steps)
    return _rate(sum(step.commit.n_accepted for step in run.steps), drafted)


def level_acceptance(run: Run) -> Rate | None:
    """Accepted levels of those drafted, one a depth: what chains and trees have in common (see ``positions.py``)."""
    levels = by_position(run.steps)
    return _rate(sum(level.accepted for level in levels), sum(level.drafted for level in levels))


def trigger_rate(run: Run) -> Rate | None:
    """Rounds whose rule chose to retrieve, of all; None for a method that has no such rule."""
    if not any(step.decision.rule in TRIGGERS for step in run.steps):
        return None
    return _rate(sum(step.decision.triggered for step in run.steps), len(run.steps))


def hit_rate(run: Run) -> Rate | None:
    """Rounds with a retrieved token accepted, of those that verified retrieved tokens."""
    tried = [step for step in run.steps if verified_retrieved(step)]
    return _rate(sum(map(took_retrieved, tried)), len(tried))


def verified_retrieved(step: Step) -> bool:
    """Whether a retrieved token went to the target."""
    return any(RETRIEVED_SOURCES & set(node.sources) for node in step.trees.final)


def took_retrieved(step: Step) -> bool:
    """Whether a retrieved token was accepted."""
    nodes = step.trees.final
    return any(RETRIEVED_SOURCES & set(nodes[i].sources) for i in step.commit.path_node_ids)


def _rate(part: int, whole: int) -> Rate | None:
    return Rate(part, whole) if whole else None


def percent(share: float | None) -> str:
    """``64 %``, or a dash where there is no rate."""
    return MISSING if share is None else f"{100 * share:.0f} %"


def told(rate: Rate | None) -> str:
    """``64 %``, ``1 of 3`` where that says more, or a dash where there is no rate."""
    if rate is None:
        return MISSING
    return percent(rate.share) if rate.whole >= FEW else f"{rate.part} of {rate.whole}"

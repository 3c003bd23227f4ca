"""A run's rates, each None where it has no meaning: nothing drafted, nothing retrieved, no trigger. Imports no torch.

The summary's own fields are plain numbers, 0 in these cases; whoever shows a rate to a reader asks here.
"""

from __future__ import annotations

from respec_core.trace.round import RETRIEVED_SOURCES, Step
from respec_core.trace.schema import Run

TRIGGERS = frozenset({"entropy", "match_len"})  # rules that decide, round by round, whether to retrieve
MISSING = "–"


def acceptance(run: Run) -> float | None:
    """Accepted draft nodes ÷ draft nodes sent to the target."""
    drafted = sum(len(step.trees.final) - 1 for step in run.steps)
    return sum(step.commit.n_accepted for step in run.steps) / drafted if drafted else None


def trigger_rate(run: Run) -> float | None:
    """Rounds whose rule chose to retrieve ÷ all rounds; None for a method that has no such rule."""
    if not any(step.decision.rule in TRIGGERS for step in run.steps):
        return None
    return sum(step.decision.triggered for step in run.steps) / len(run.steps)


def hit_rate(run: Run) -> float | None:
    """Rounds with a retrieved token accepted ÷ rounds that verified retrieved tokens."""
    tried = [step for step in run.steps if verified_retrieved(step)]
    return sum(took_retrieved(step) for step in tried) / len(tried) if tried else None


def verified_retrieved(step: Step) -> bool:
    """Whether a retrieved token went to the target."""
    return any(RETRIEVED_SOURCES & set(node.sources) for node in step.trees.final)


def took_retrieved(step: Step) -> bool:
    """Whether a retrieved token was accepted."""
    nodes = step.trees.final
    return any(RETRIEVED_SOURCES & set(nodes[i].sources) for i in step.commit.path_node_ids)


def percent(rate: float | None) -> str:
    """``64 %``, or a dash where there is no rate."""
    return MISSING if rate is None else f"{100 * rate:.0f} %"

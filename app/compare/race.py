"""A run's rounds on one axis of output positions and one clock."""

from __future__ import annotations

from app.compare.views import LaneRound, LaneToken
from respec_core.trace.benefit import NOT_DRAFTING
from respec_core.trace.placing import placed_rounds
from respec_core.trace.schema import Run


def lane_rounds(run: Run) -> tuple[LaneRound, ...]:
    """Every round with its tokens and its time; prompt processing lies before 0."""
    return tuple(
        LaneRound(
            start=placed.start,
            end=placed.end,
            start_ms=placed.start_ms,
            end_ms=placed.end_ms,
            drafted=len(placed.step.trees.final) - 1,
            accepted=placed.step.commit.n_accepted,
            relaxed=placed.step.commit.n_relaxed,
            chosen=placed.step.decision.chosen,
            triggered=placed.step.decision.triggered,
        )
        for placed in placed_rounds(run)
    )


def lane_tokens(run: Run) -> tuple[LaneToken, ...]:
    """The text, token by token."""
    return tuple(
        LaneToken(
            text=token.text,
            piece=token.piece,
            outcome=token.outcome,
            source=token.source,
            p=token.p,
            entropy=token.entropy,
            wish=token.wish.text if token.wish else None,
            special=token.special,
        )
        for token in run.tokens
    )


def drafting_ms(run: Run) -> float:
    """Engine time before the target's forwards."""
    return sum(ms for step in run.steps for phase, ms in step.phase_ms.items() if phase not in NOT_DRAFTING)


def engine_ms(run: Run) -> float:
    """All engine time behind the prompt."""
    return sum(ms for step in run.steps for ms in step.phase_ms.values())

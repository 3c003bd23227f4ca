"""Decisions are by the method's rule, choose what was drafted, and show no numbers of another rule."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import MODEL_DRAFTS

RETRIEVES = frozenset({"retrieval", "fused"})


def decision_problems(reading: Reading) -> Iterator[str]:
    """Choices that do not follow. The numbers of a rule are for the checks of those who decide by it."""
    due = reading.traits.decided_by(reading.params)
    for round in reading.rounds:
        rule = round.step.decision.rule
        if rule != due:
            yield f"{round.where}: decided by {rule}, the method decides by {due}"
            continue
        yield from (f"{round.where}: {problem}" for problem in (*_chosen(round), *_foreign(round)))
    yield from _trained_context(reading)


def _foreign(round: RoundReading) -> Iterator[str]:
    """Numbers that belong to another rule."""
    decision = round.step.decision
    windows = decision.entropies or decision.H or decision.C
    if decision.rule != "entropy":
        if windows or decision.k_star is not None or decision.theta is not None:
            yield f"the rule {decision.rule} knows no entropies"
        if decision.unit != "nats":
            yield f"entropies are in {decision.unit}, the rule {decision.rule} knows none"
    if decision.rule != "match_len" and decision.match is not None:
        yield f"the rule {decision.rule} compares no match lengths"


def _chosen(round: RoundReading) -> Iterator[str]:
    decision, drafted = round.step.decision, len(round.nodes) - 1
    retrieves = decision.chosen in RETRIEVES
    if decision.chosen == "none" and drafted:
        yield f"nothing was chosen, yet {drafted} nodes were drafted"
    if decision.chosen == "none" and round.step.trees.drafter is not None:
        yield "nothing was chosen, yet there is a drafter's tree"
    if decision.chosen not in ("none", *RETRIEVES) and not drafted and decision.sizing is None:
        yield f"{decision.chosen} was chosen but drafted nothing"
    if decision.rule != "entropy" and decision.triggered != retrieves:
        yield f"triggered is {decision.triggered} but {decision.chosen} was chosen"


def _trained_context(reading: Reading) -> Iterator[str]:
    """What the drafter was trained on is one number, noted wherever it guessed behind a longer context."""
    contexts = (round.step.decision.trained_context for round in reading.rounds)
    noted = sorted({context for context in contexts if context is not None})
    if not noted:
        return
    if len(noted) > 1:
        yield f"the drafter was trained on {' and '.join(map(str, noted))} tokens of context"
    trained = noted[0]
    for round in reading.rounds:
        step = round.step
        beyond = step.decision.chosen in MODEL_DRAFTS and step.ctx_len > trained
        if beyond != (step.decision.trained_context is not None):
            yield f"{round.where}: {step.ctx_len} tokens of context, the drafter was trained on {trained}"

"""What was weighed is weighed again: the run's own records from the rounds before, costs from the cost curve."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from respec_core.boundary.limits import MAX_DRAFT
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.offered import offered_trees
from respec_core.methods.parts.weighing import Seen, Way, Weighing, best, tree_of
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.cost_curve import recorded_curve
from respec_core.trace.round import Option

TOLERANCE = 1e-6
WAYS: dict[str, Way] = {"retrieval": "copies", "fused": "both"}  # by what was chosen; the model's otherwise


def switch_problems(reading: Reading) -> Iterator[str]:
    """Options that records and costs do not give, and choices against them."""
    if reading.config.params.get("switch") != "adaptive":
        for round in reading.rounds:
            if round.step.decision.options:
                yield f"{round.where}: ways to draft were weighed, which this method does not do"
        return
    weighing, costs, scale = Weighing(), recorded_curve(reading.run.cost_curve), _scale(reading)
    nodes = MAX_DRAFT if costs else reading.params["all_nodes"] - 1
    for round, copied in zip(reading.rounds, offered_trees(reading), strict=True):
        decision = round.step.decision
        way, k = WAYS.get(decision.chosen, "model"), decision.k_star
        entropy = decision.H[k - 1] * scale if k is not None and 1 <= k <= len(decision.H) else None
        problems = []
        if decision.triggered != (way != "model"):
            problems.append(f"triggered is {decision.triggered}, though {decision.chosen} was chosen")
        if decision.options:
            rate = decision.sizing.rate if decision.sizing and decision.options[0].nodes is not None else None
            problems += _compared(decision.options, weighing.options(entropy, copied, nodes, round.priced(costs), rate))
            problems += _taken(round, way)
        elif len(copied) > 1 and reading.params.get("fallback") != "none":
            problems.append("copies were offered, but nothing was weighed")
        yield from (f"{round.where}: {problem}" for problem in problems)
        _learn(weighing, entropy, way, round)


def _scale(reading: Reading) -> float:
    return math.log(max(reading.vocab or 0, 2)) if reading.params["normalised"] else 1.0


def _compared(recorded: Sequence[Option], due: Sequence[Option]) -> Iterator[str]:
    if [option.way for option in recorded] != [option.way for option in due]:
        yield "other ways were weighed than there are"
        return
    for one, other in zip(recorded, due, strict=True):
        if not math.isclose(one.tokens, other.tokens, rel_tol=TOLERANCE):
            yield f"{one.way} was expected to bring {one.tokens:.4g} tokens, the rounds before say {other.tokens:.4g}"
        if (one.ms is None) != (other.ms is None) or not math.isclose(one.ms or 0, other.ms or 0, rel_tol=TOLERANCE):
            yield f"{one.way} was expected to take {one.ms} ms, curve and rounds before say {other.ms}"
        if one.nodes != other.nodes:
            yield f"{one.way} was expected to verify {one.nodes} nodes, curve and rounds before say {other.nodes}"


def _taken(round: RoundReading, way: Way) -> Iterator[str]:
    """The best option was taken, or copies where the model turned out to have nothing."""
    decision = round.step.decision
    due = best(decision.options, decision.sizing.rate if decision.sizing else None)
    if way != due and not (due == "both" and way == "copies") and decision.chosen != "none":
        yield f"{decision.chosen} was chosen, the options say {due}"


def _learn(weighing: Weighing, entropy: float | None, way: Way, round: RoundReading) -> None:
    final, part, step = tree_of(round.nodes), round.step.trees.drafter, round.step
    drafted: DraftTree | None = None
    if way != "copies":
        drafted = final if part is None else tree_of([node for node in part if node.pruned_by in (None, "budget")])
    judged = drafted if drafted is not None and len(drafted) > 1 else None
    seen = Seen(step.commit.emitted_ids, len(final) - 1, judged, step.phase_ms.get("draft"))
    weighing.learn(entropy, step.decision.options, way, seen)

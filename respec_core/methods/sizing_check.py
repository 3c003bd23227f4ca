"""Draft sizes: the arithmetic of what pays, done again from the rounds before."""

from __future__ import annotations

import math
from collections.abc import Iterator

from respec_core.engine.sizing import Sizer
from respec_core.engine.tree import DraftTree
from respec_core.methods.registry import find_method
from respec_core.settings.sketch import Sketch
from respec_core.trace.checks.decision import RETRIEVES
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.cost_curve import recorded_curve
from respec_core.trace.round import Sizing

TOLERANCE = 1e-9
MEASURED = ("expected_tokens", "forward_ms", "plain_ms", "rate")


def sizing_problems(reading: Reading) -> Iterator[str]:
    """Sizes, prices and rates that settings, cost curve and earlier rounds do not give."""
    drafting, points = reading.config.drafting, reading.run.cost_curve
    rule = drafting.budget_rule if find_method(reading.config.method).drafts else "own"
    curve = recorded_curve(points)
    if points and (curve is None or rule != "auto"):
        yield "the cost curve is none" if curve is None else f"a cost curve although sizes are {rule}"
        return
    sizer, sketch = (
        Sizer(drafting, curve, learns=_learns(reading)),
        find_method(reading.config.method).sketch(reading.config),
    )
    for round in reading.rounds:
        sizing, step = round.step.decision.sizing, round.step
        if sketch is not None:
            yield from (f"{round.where}: {problem}" for problem in _beyond(round, sizing, sketch))
        if (sizing.rule if sizing else "own") != rule:
            yield f"{round.where}: the size is {sizing.rule if sizing else 'own'}, set to {rule}"
            continue
        if sizing is None:
            if step.decision.budget is not None:
                yield f"{round.where}: a budget of {step.decision.budget} although the size is the method's own"
            continue
        problems = [*_counted(reading, round, sizing)]
        if rule == "auto" and curve is not None and all(node.sources for node in round.nodes[1:]):
            sampled, commit, tree = reading.sampled(round), step.commit, draft_tree(round)
            problems += _again(round, sizing, sizer, sampled)
            path, hits = commit.path_node_ids, step.retrieval
            sizer.observe(tree, path, commit.emitted_ids, step.phase_ms, hits, sampled=sampled)
        elif rule == "fixed" and any(getattr(sizing, name) is not None for name in MEASURED):
            problems.append("a fixed size has a price")
        yield from (f"{round.where}: {problem}" for problem in problems)


def _learns(reading: Reading) -> bool:
    """Whether the run learnt what forwards cost and how copies fare; earlier ones did not."""
    sizings = (round.step.decision.sizing for round in reading.rounds)
    return any(sizing is not None and sizing.factors is not None for sizing in sizings)


def _beyond(round: RoundReading, sizing: Sizing | None, sketch: Sketch) -> Iterator[str]:
    """More than the settings let a round draft, in all or by one drafter."""
    nodes, most = round.nodes[1:], sketch.most(None)
    drafted = max(len(nodes), sizing.proposed if sizing else 0)
    if drafted > most:
        yield f"{drafted} nodes were drafted, by its settings a draft has at most {most}"
    for source in sorted({part.source for part in sketch.parts}):
        own = sum(source in node.sources for node in nodes)
        limit = sum(part.most() for part in sketch.parts if part.source == source)
        if own > limit:
            yield f"{own} nodes are from {source}, by its settings there are at most {limit}"


def _counted(reading: Reading, round: RoundReading, sizing: Sizing) -> Iterator[str]:
    kept = len(round.nodes) - 1
    if (sizing.kept, round.step.decision.budget) != (kept, kept):
        yield f"kept {sizing.kept} with a budget of {round.step.decision.budget}, the tree has {kept} nodes"
    if sizing.proposed < kept:
        yield f"{sizing.proposed} nodes were proposed, {kept} kept"
    if sizing.proposed and round.step.decision.chosen == "none":
        yield f"{sizing.proposed} nodes were proposed, although nothing was chosen"
    chosen, room = round.step.decision.chosen, reading.room(round.step)
    if not sizing.proposed and chosen not in ("none", *RETRIEVES) and room > 0:
        yield f"{chosen} was chosen, but proposed nothing"
    if sizing.rule == "fixed" and kept != min(reading.config.drafting.budget, sizing.proposed):
        yield f"kept {kept} of {sizing.proposed} with a budget of {reading.config.drafting.budget}"


def _again(round: RoundReading, sizing: Sizing, sizer: Sizer, sampled: bool) -> Iterator[str]:
    """What was kept is kept again: all its nodes together pay more than any fewer of them."""
    for source, trust in sizing.trust.items():
        yield from _compared(f"trust in {source}", trust, sizer.trust(source, sampled))
    if sizing.trust and not sizing.proposed:
        yield f"trust in {'+'.join(sizing.trust)}, which proposed nothing"
    tree, due = sizer.fit(draft_tree(round), round.step.retrieval, sampled=sampled)
    if due is None:
        return
    if len(tree) < len(round.nodes):
        yield f"{len(round.nodes) - len(tree)} of its nodes do not pay"
        return
    for name in MEASURED:
        yield from _compared(name, getattr(sizing, name), getattr(due, name))
    for factor, again in zip(sizing.factors or (1.0, 1.0), due.factors or (1.0, 1.0), strict=True):
        yield from _compared("a factor of the cost curve", factor, again)
    if missing := due.trust.keys() - sizing.trust.keys():
        yield f"no trust in {'+'.join(sorted(missing))} is told"


def _compared(name: str, recorded: float | None, expected: float) -> Iterator[str]:
    if recorded is None or not math.isclose(recorded, expected, rel_tol=TOLERANCE):
        yield f"{name} is {recorded}, curve and earlier rounds give {expected:.6g}"


def draft_tree(round: RoundReading) -> DraftTree:
    """The verified tree as it was drafted."""
    nodes = round.nodes
    return DraftTree(
        tuple(node.token for node in nodes),
        tuple(node.parent for node in nodes),
        tuple(frozenset(node.sources) for node in nodes),
        tuple(node.draft_p for node in nodes),
        tuple(1.0 if node.path_score is None else node.path_score for node in nodes),
        tuple(node.hit_ids for node in nodes),
    )

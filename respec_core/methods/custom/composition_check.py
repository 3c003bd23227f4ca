"""What must hold of a composed method's record: whom its router names is asked, and a bandit's arms are counted again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from respec_core.methods.custom.bandit import Bandit, reward
from respec_core.methods.custom.plan import Groups, arms_of, plan
from respec_core.methods.custom.record import Arm, AskedDrafter, Composition
from respec_core.methods.custom.settings import KINDS, CustomSettings
from respec_core.retrieval.suffix_automaton import SuffixCursor
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.cost_curve import CostCurve, recorded_curve

TOLERANCE = 1e-9


def composition_problems(reading: Reading) -> Iterator[str]:
    """Drafters that the router did not name, and numbers that the rounds before do not give."""
    if reading.run.method != "custom":
        for round in reading.rounds:
            if round.step.record(Composition) is not None:
                yield f"{round.where}: a composition belongs to the method custom"
        return
    settings, costs = CustomSettings(**reading.params), recorded_curve(reading.run.cost_curve)
    bandit = Bandit(arms_of(settings), settings.explore, settings.warm_rounds)
    cursor, read = SuffixCursor(), 0
    for round in reading.rounds:
        found = round.step.record(Composition)
        if found is None:
            yield f"{round.where}: nothing says who was asked"
            continue
        problems = [*_asked(round, found.asked)]
        match settings.router:
            case "bandit":
                problems += _bandit(round, found, bandit, settings, round.priced(costs))
            case "match":
                for token in reading.ids[read : round.step.ctx_len]:
                    cursor.read(token)
                read = round.step.ctx_len
                problems += _match(round, found, cursor.length, settings)
            case _:
                copies = settings.router == "entropy" and round.step.decision.triggered
                problems += _followed(found.asked, plan(settings, copies=copies))
        if settings.router != "bandit" and (found.arms or found.arm is not None or found.reward is not None):
            problems.append(f"the router {settings.router} has no arms")
        yield from (f"{round.where}: {problem}" for problem in problems)


def _asked(round: RoundReading, asked: Sequence[AskedDrafter]) -> Iterator[str]:
    """Who drafted is who had something."""
    decision, drafted = round.step.decision, [one.drafter for one in asked if one.nodes]
    kinds = {KINDS.get(name) for name in drafted}
    if (decision.chosen == "none") != (not drafted):
        yield f"{decision.chosen} was chosen, and {' and '.join(drafted) or 'nobody'} drafted"
    elif decision.chosen == "fused" and ("retrieval" not in kinds or len(kinds) < 2):
        yield f"fused was chosen, and {' and '.join(drafted)} drafted"
    elif decision.chosen not in ("none", "fused") and decision.chosen not in kinds:
        yield f"{decision.chosen} was chosen, and {' and '.join(drafted)} drafted"
    if len(round.nodes) - 1 > sum(one.nodes for one in asked):
        yield f"{len(round.nodes) - 1} nodes were sent, more than all drafters had"


def _followed(asked: Sequence[AskedDrafter], groups: Groups) -> Iterator[str]:
    """Of every group those were asked, in their order, up to the first that had anything."""
    left = list(asked)
    for group in groups:
        for name in group:
            if not left or left[0].drafter != name:
                yield f"{left[0].drafter if left else 'nobody'} was asked, it was {name}'s turn"
                return
            if left.pop(0).nodes:
                break
    if left:
        yield f"{left[0].drafter} was asked out of turn"


def _match(round: RoundReading, found: Composition, longest: int, settings: CustomSettings) -> Iterator[str]:
    match = round.step.decision.match
    if match is None or (match.dyn, match.static, match.threshold) != (longest, None, settings.match_threshold):
        yield f"the longest match in the run's own text has {longest} tokens, the threshold is {settings.match_threshold}"
        return
    yield from _followed(found.asked, plan(settings, copies=match.dyn >= match.threshold))


def _bandit(
    round: RoundReading, found: Composition, bandit: Bandit, settings: CustomSettings, costs: CostCurve | None
) -> Iterator[str]:
    due = bandit.arms()
    best, step = bandit.best(due), round.step
    if not _agree(found.arms, due):
        yield "the arms are not as the rounds before leave them"
    if found.arm != best.name:
        yield f"the arm {found.arm} was chosen, {best.name} was due"
    else:
        yield from _followed(found.asked, plan(settings, arm=best.name))
    brought = reward(len(step.commit.emitted_ids), len(round.nodes), step.phase_ms, costs)
    if found.reward is None or not math.isclose(found.reward, brought, rel_tol=TOLERANCE):
        yield f"a reward of {found.reward}, the round brought {brought:.4f}"
    bandit.learn(best.name, brought)


def _agree(told: Sequence[Arm], counted: Sequence[Arm]) -> bool:
    return len(told) == len(counted) and all(
        (a.name, a.count) == (b.name, b.count) and _close(a.mean, b.mean) and _close(a.bound, b.bound)
        for a, b in zip(told, counted, strict=True)
    )


def _close(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=TOLERANCE)

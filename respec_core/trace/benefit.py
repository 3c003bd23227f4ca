"""Whether drafting paid in a run, and which term decided: a pass's tokens against its costs. Imports no torch.

The unit of every cost is a one-token forward of the same target, so that tokens ÷ costs is the expected × plain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import isfinite
from statistics import median

from respec_core.trace.cost_curve import CostCurve, recorded_curve
from respec_core.trace.round import Node, Step
from respec_core.trace.schema import Run

NOT_DRAFTING = frozenset({"verify", "commit"})  # phases; the others come before the target's forward
WORTH_SAYING = 1.05  # another size is named if it promises this much more


@dataclass(frozen=True)
class SizeAt:
    """What drafts cut to their ``nodes`` likeliest nodes would have brought: each round by itself, drafting unchanged."""

    nodes: int
    tokens: float
    verify: float
    ratio: float


@dataclass(frozen=True)
class Benefit:
    """Means over rounds.

    Attributes:
        tokens: committed a pass.
        nodes: drafted nodes a pass.
        verify: the target's forward.
        drafting: everything before it: drafting, retrieval, routing.
        rest: committing.
        sizes: what sizes from 1 on would have brought; empty where the machine's cost curve or scores are not known.
    """

    tokens: float
    nodes: float
    verify: float
    drafting: float
    rest: float
    sizes: tuple[SizeAt, ...] = ()

    @property
    def cost(self) -> float:
        """Of a whole round, in one-token forwards."""
        return self.verify + self.drafting + self.rest

    @property
    def ratio(self) -> float:
        """Expected × plain."""
        return self.tokens / self.cost

    @property
    def best(self) -> SizeAt | None:
        """The size that would have paid most."""
        return max(self.sizes, key=lambda size: size.ratio, default=None)

    @property
    def break_even(self) -> int | None:
        """The largest size that is not slower than plain decoding; None where none is, or sizes are not known."""
        return max((size.nodes for size in self.sizes if size.ratio >= 1), default=None)

    def sentence(self, *, timed: bool = False) -> str:
        """Helps or not, by how much, and which term loses; where × plain was ``timed``, without a second figure of it."""
        costs = {"verifying": self.verify, "drafting": self.drafting, "the rest": self.rest}
        terms = ", ".join(f"{name} {cost:.2f}" for name, cost in costs.items() if cost)
        told = f"A pass brings {self.tokens:.2f} tokens and costs {self.cost:.2f} one-token forwards ({terms})"
        told += "" if timed else f": {self.ratio:.2f}× plain"
        if self.ratio >= 1:
            return f"{told}.{self._other_size()}"
        dearest = max(costs, key=lambda name: costs[name])
        return f"{told}; {dearest} costs most.{self._other_size() or self._no_size()}"

    def _other_size(self) -> str:
        best = self.best
        if best is None or best.ratio < max(self.ratio * WORTH_SAYING, 1.0):
            return ""
        return (
            f" The {best.nodes} likeliest nodes of each draft would have brought {best.tokens:.2f} tokens "
            f"for {best.verify + self.drafting + self.rest:.2f}: {best.ratio:.2f}×."
        )

    def _no_size(self) -> str:
        return " No smaller size of these drafts would have paid." if self.sizes else ""


def benefit(run: Run) -> Benefit | None:
    """Of a run that drafted; None where a one-token forward's time is not known, or beyond all measure.

    That time is plain decoding's of the same prompt where it was measured (the median of its repeats), else what a plain token
    would have taken in this run: the cost curve's, at the level of the run's own forwards. Where the run was repeated with nothing
    drawn, a round costs what it did then, in the terms of the run itself.
    """
    drafted = sum(len(step.trees.final) - 1 for step in run.steps)
    spent = Counter[str]()
    for step in run.steps:
        spent.update(step.phase_ms)
    if not drafted or not spent["verify"]:
        return None
    measured = recorded_curve(run.cost_curve or run.predicted_by)
    curve = _as_paid(measured, run.steps) if measured else None
    plain = _plain_ms(run, curve)
    if not plain:
        return None
    shown = plain * _slowed(run, spent.total())
    unit = shown * len(run.steps)
    drafting = sum(ms for phase, ms in spent.items() if phase not in NOT_DRAFTING) / unit
    rest = spent["commit"] / unit
    found = Benefit(len(run.tokens) / len(run.steps), drafted / len(run.steps), spent["verify"] / unit, drafting, rest)
    if not (found.cost and isfinite(found.cost) and isfinite(found.ratio)):
        return None
    ranked = [_accepted_by_size(step) for step in run.steps]
    known = [one for one in ranked if one is not None]
    if curve is None or len(known) < len(ranked):
        return found
    return replace(found, sizes=sizes(known, curve, shown, drafting + rest))


def _plain_ms(run: Run, curve: CostCurve | None) -> float | None:
    plain = run.reference_ar
    if plain is not None and plain.output_ids and plain.wall_s > 0:
        timed = [repeat.plain_s for repeat in plain.repeats if repeat.plain_s > 0]
        return 1e3 * (median(timed) if timed else plain.wall_s) / len(plain.output_ids)
    return curve.ms(1) if curve else None


def _as_paid(measured: CostCurve, steps: Sequence[Step]) -> CostCurve:
    """The curve at the level of the run's own forwards: what they took together beside it, as others would have waited too."""
    expected = sum(measured.ms(len(step.trees.final)) for step in steps)
    level = sum(step.phase_ms.get("verify", 0.0) for step in steps) / expected
    return measured.fitted(level, level)


def _slowed(run: Run, shown_ms: float) -> float:
    """How many times as long the run took while it was drawn as in its silent repeats; 1 without these."""
    timed = [repeat.run_s for repeat in run.reference_ar.repeats if repeat.run_s > 0] if run.reference_ar else []
    return shown_ms / (1e3 * median(timed)) if timed else 1.0


def sizes(rounds: Sequence[Sequence[int]], curve: CostCurve, plain: float, beside: float) -> tuple[SizeAt, ...]:
    """What drafts cut to 1, 2, … nodes would have brought.

    Args:
        rounds: of each, the accepted nodes among its 1, 2, … likeliest.
        plain: milliseconds of a one-token forward.
        beside: drafting and the rest of a round, in these forwards.
    """
    found, lengths = list[SizeAt](), [*map(len, rounds)]
    price = [curve.ms(1 + nodes) for nodes in range(max(lengths, default=0) + 1)]
    for size in range(1, len(price)):
        kept = sum(accepted[min(size, n) - 1] for accepted, n in zip(rounds, lengths, strict=True) if n)
        verify = sum(price[min(size, n)] for n in lengths) / len(rounds) / plain
        tokens = 1 + kept / len(rounds)
        found.append(SizeAt(size, tokens, verify, tokens / (verify + beside)))
    return tuple(found)


def _accepted_by_size(step: Step) -> list[int] | None:
    """Accepted nodes among the 1, 2, … likeliest of a round's tree; None where their scores are not known."""
    chances: dict[int, float] = {}
    for node in step.trees.final:
        chance = _chance(node)
        if chance is None:
            return None
        chances[node.id] = min(chance, chances.get(node.parent, 1.0))  # nobody is likelier than the node above
    nodes = sorted(step.trees.final[1:], key=lambda node: (-chances[node.id], node.depth, node.id))
    path = set(step.commit.path_node_ids)
    return [*accumulate(node.id in path for node in nodes)]


def _chance(node: Node) -> float | None:
    return 1.0 if node.parent < 0 else node.path_score

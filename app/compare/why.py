"""Why one run is ahead, from the numbers: fewer passes, a cheaper pass, less drafting. One timing is no verdict.

Time a token = passes a token × time of a pass without drafting × (1 + drafting beside it): the three factors between two
runs multiply to the ratio of their times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.compare.race import drafting_ms, engine_ms
from app.compare.views import Factor, Why
from app.panels.timeline import duration
from respec_core.trace.repetition import find_loop
from respec_core.trace.schema import Run
from respec_core.trace.speed import Speed

FELT = 0.02  # factors nearer to 1 than this explain nothing
LEVEL = 1.05  # ratios below are not called ahead
ONCE = "One timing each: this says where the time went, not which is faster."


@dataclass(frozen=True)
class Cost:
    """What a token of a run cost."""

    name: str
    passes: float  # a token
    forward: float  # ms of a pass, drafting left out
    drafting: float  # of that time, spent on drafting beside it
    nodes: float  # verified in a pass

    @property
    def token(self) -> float:
        """Milliseconds a token."""
        return self.passes * self.forward * (1 + self.drafting)

    @classmethod
    def of(cls, name: str, run: Run) -> Cost:
        """From a run with tokens."""
        drafting, n = drafting_ms(run), len(run.steps)
        rest = engine_ms(run) - drafting
        nodes = sum(len(step.trees.final) - 1 for step in run.steps)
        return cls(name, n / len(run.tokens), rest / n, drafting / rest if rest else 0.0, nodes / n)


def why(runs: Sequence[Run], names: Sequence[str], speeds: Sequence[Speed | None]) -> Why:
    """The run with the cheapest token against the next one, by repeats where all have them, else by the runs' own time."""
    costs = [Cost.of(name, run) for name, run in zip(names, runs, strict=True)]
    if not all(cost.token for cost in costs):
        return Why(ahead=None, other=None, ratio=None, factors=(), settled=False, sentence=_untimed(costs))
    medians = [speed.ratio for speed in speeds if speed is not None and repeats_in(speed)]
    repeated = len(medians) == len(costs)
    order = sorted(range(len(costs)), key=lambda i: -medians[i] if repeated else costs[i].token)
    ahead, other = order[:2]
    factors = tuple(_factors(costs[ahead], costs[other]))
    first, second = speeds[ahead], speeds[other]
    settled = apart(first, second)
    ratio = costs[other].token / costs[ahead].token
    parts = [_lead(costs[ahead], costs[other], ratio), *_told(costs[ahead].name, factors)]
    parts += [_certainty(costs[ahead].name, costs[other].name, first, second), *_warnings(runs, names)]
    return Why(ahead=ahead, other=other, ratio=ratio, factors=factors, settled=settled, sentence=" ".join(parts))


def repeats_in(speed: Speed) -> bool:
    """Whether it is of silent repeats, so that it has a spread."""
    return speed.silent and speed.repeats > 1


def apart(first: Speed | None, second: Speed | None) -> bool:
    """Whether every repeat of the first was faster than every one of the second."""
    if first is None or second is None or not (repeats_in(first) and repeats_in(second)):
        return False
    return first.low > second.high


def _factors(a: Cost, b: Cost) -> Iterator[Factor]:
    passes, forward = b.passes / a.passes, b.forward / a.forward
    drafting = (1 + b.drafting) / (1 + a.drafting)
    per_pass = f"{1 / a.passes:.2f} tokens each against {1 / b.passes:.2f}"
    yield Factor(name="passes", ratio=passes, text=f"{'fewer' if passes >= 1 else 'more'} passes ({per_pass})")
    times = f"{duration(a.forward)} for {a.nodes:.1f} draft nodes against {duration(b.forward)} for {b.nodes:.1f}"
    yield Factor(name="forward", ratio=forward, text=f"a {'cheaper' if forward >= 1 else 'dearer'} pass ({times})")
    shares = f"{_share(a)} of its time against {_share(b)}"
    yield Factor(name="drafting", ratio=drafting, text=f"{'less' if drafting >= 1 else 'more'} drafting ({shares})")


def _told(name: str, factors: Sequence[Factor]) -> list[str]:
    """What speaks for the run ahead, ``name``, then what speaks against it."""
    felt = [factor for factor in factors if abs(factor.ratio - 1) > FELT]
    letter = name.partition(" ")[0]
    sides = {
        f"For {letter}": [f.text for f in felt if f.ratio > 1],
        f"Against {letter}": [f.text for f in felt if f.ratio < 1],
    }
    return [f"{side}: {', '.join(texts)}." for side, texts in sides.items() if texts]


def _share(cost: Cost) -> str:
    return f"{100 * cost.drafting / (1 + cost.drafting):.0f} %"


def _lead(a: Cost, b: Cost, ratio: float) -> str:
    times = f"{duration(a.token)} a token against {duration(b.token)}"
    if 1 / LEVEL < ratio < LEVEL:
        return f"{a.name} and {b.name} are level in these runs: {times}."
    if ratio < 1:
        return f"{a.name} has the better median in repeats, {b.name} the better run here: {times}."
    return f"{a.name} is ahead of {b.name} in these runs: {times}."


def _certainty(name: str, other: str, first: Speed | None, second: Speed | None) -> str:
    if first is None or second is None or not (repeats_in(first) and repeats_in(second)):
        return ONCE
    said = f"{name} {_spread(first)}, {other} {_spread(second)} × plain"
    if apart(first, second):
        return f"Silent repeats bear it out: {said}."
    return f"Silent repeats do not tell them apart: {said}."


def _spread(speed: Speed) -> str:
    return f"{speed.ratio:.2f} ({speed.low:.2f} to {speed.high:.2f})"


def _warnings(runs: Sequence[Run], names: Sequence[str]) -> list[str]:
    """What makes a token of one run no measure for a token of another."""
    found = [
        f"The text of {name} loops, which is easy to draft."
        for name, r in zip(names, runs, strict=True)
        if find_loop(r.output_ids)
    ]
    if len({run.output_ids for run in runs}) > 1:
        found.append("The texts differ, so the time is counted a token.")
    return found


def _untimed(costs: Sequence[Cost]) -> str:
    best = min(costs, key=lambda cost: cost.passes)
    return f"These runs hold no times; {best.name} wrote most in a pass: {1 / best.passes:.2f} tokens."

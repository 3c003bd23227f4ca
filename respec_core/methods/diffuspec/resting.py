"""Whether a block is worth its time: what blocks brought in this run against what they took (ours). No torch.

A block is paid whole before anything is known of it. But its first guess comes early, from the state that the text
leaves, and how sure it is says much of what the block brings. So a round looks at that guess, and fills the block where
that pays; where looks do not pay either, it rests. What is remembered fades meanwhile, so that no rest is for good.
Time is counted in forwards of the same rounds: whatever else the machine does makes both slower.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median_low

from respec_core.engine.sizing import TARGET, Worth
from respec_core.trace.cost_curve import CostCurve

CERTAIN = 2.0  # tokens that a block with a certain first guess brings, before the run has shown its own
UNSURE = 0.5  # the first guess's probability where nobody can look at it
PRIOR = 4.0  # claimed tokens that a drafter is believed before it has shown any
FIRST_LOOKS = 2.0  # that a first guess at what looks bring is worth
FORGETTING = 0.98  # weight of the past, a look or a round of rest
NEWEST = 9  # times that count; the middle one's, since a machine may stall
DRAFTING = ("draft", "search")  # the phases of a block


@dataclass(frozen=True)
class Look:
    """At a first guess.

    Attributes:
        claim: tokens that such a block brings, if the run is like others.
        ms: that looking took.
    """

    claim: float
    ms: float

    @classmethod
    def of(cls, sure: float | None, ms: float) -> Look:
        """A guess of this probability, None where it cannot be had apart."""
        return cls(CERTAIN * (UNSURE if sure is None else sure), ms)


@dataclass(frozen=True)
class Brought:
    """By a block: accepted tokens, of so many verified nodes."""

    tokens: int
    nodes: int


@dataclass
class Past:
    """Looks so far, and the blocks behind them; older ones count less.

    Attributes:
        claimed: what the blocks were expected to bring.
    """

    looks: float = 0.0
    blocks: float = 0.0
    claimed: float = 0.0
    tokens: float = 0.0
    nodes: float = 0.0

    def fade(self) -> None:
        """Count less of all."""
        for name, value in vars(self).items():
            setattr(self, name, FORGETTING * value)


def _times() -> deque[float]:
    return deque((0.0,), NEWEST)  # nothing, before there was one: a run begins by drafting


@dataclass
class Resting:
    """One run's.

    Attributes:
        look, fill: what looking, and filling a block behind it, took newly, in forwards over one token.
    """

    past: Past = field(default_factory=Past)
    look: deque[float] = field(default_factory=_times)
    fill: deque[float] = field(default_factory=_times)

    def round(self, worth: Worth) -> str:
        """Why this round should draft nothing, and then it fades; empty where a look pays."""
        if worth.costs is None:
            return ""
        past, looks = self.past, self.past.looks + FIRST_LOOKS
        tokens = (past.tokens + FIRST_LOOKS * CERTAIN * UNSURE) / looks
        why = _lost(
            tokens, median_low(self.look) + past.blocks / looks * self._block(worth.costs), worth.rate, worth.costs
        )
        if why:
            past.fade()
        return why

    def block(self, look: Look, room: int, worth: Worth) -> str:
        """Why the block should be left at its first guess; empty where filling it pays.

        Args:
            room: tokens that can still be accepted.
        """
        if worth.costs is None:
            return ""
        tokens = look.claim * (self.past.tokens + PRIOR) / (self.past.claimed + PRIOR)
        return _lost(min(tokens, room), self._block(worth.costs), worth.rate, worth.costs)

    def _block(self, costs: CostCurve) -> float:
        """What filling and verifying a block take, in forwards over one token."""
        nodes = self.past.nodes / self.past.blocks if self.past.blocks else 0.0
        return median_low(self.fill) + costs.ms(1 + round(nodes)) / costs.ms(1) - 1

    def learn(self, look: Look, brought: Brought | None, size: int, ms: Mapping[str, float], costs: CostCurve) -> None:
        """A round that looked was verified; ``brought`` is None where it filled no block.

        Args:
            size: tokens of its forward.
            ms: its time by phase.
        """
        past = self.past
        past.fade()
        past.looks += 1
        if brought is not None:
            past.blocks += 1
            past.claimed += look.claim
            past.tokens += brought.tokens
            past.nodes += brought.nodes
        if (verified := ms.get(TARGET, 0.0)) > 0:
            plain = verified * costs.ms(1) / costs.ms(size)
            self.look.append(look.ms / plain)
            if brought is not None:
                self.fill.append((sum(ms.get(phase, 0.0) for phase in DRAFTING) - look.ms) / plain)


def _lost(tokens: float, forwards: float, rate: float, costs: CostCurve) -> str:
    """Why so many tokens are not worth so many forwards over one token; empty where they are."""
    otherwise = rate * costs.ms(1) * forwards
    if tokens > otherwise:
        return ""
    return (
        f"rests: such blocks bring {tokens:.1f} tokens and take {forwards:.1f} plain forwards, "
        f"in which the run writes {otherwise:.1f}"
    )

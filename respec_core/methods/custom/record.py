"""What a composed method adds to a round of the trace."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from respec_core.boundary.limits import MAX_FEW, Count
from respec_core.trace.record import MethodRecord, Record

DrafterName = Annotated[str, Field(pattern="^[a-z0-9-]{1,40}$")]  # pages show it


class AskedDrafter(Record):
    """A drafter that was asked, and how many nodes it had."""

    drafter: DrafterName
    nodes: Count


class Arm(Record):
    """A bandit's arm before the round: ``count`` rounds so far, their ``mean`` reward, its upper ``bound``.

    Rewards are tokens a round; with sizes by the clock, the round's speed over plain decoding's. ``mean`` and ``bound`` are
    None before the arm's first round.
    """

    name: DrafterName
    count: Count
    mean: float | None = None
    bound: float | None = None


class Composition(MethodRecord):
    """Who was asked, in this order; and of a bandit its arms, the one it chose, and what that brought."""

    asked: Annotated[tuple[AskedDrafter, ...], Field(max_length=MAX_FEW)]
    arms: Annotated[tuple[Arm, ...], Field(max_length=MAX_FEW)] = ()
    arm: DrafterName | None = None
    reward: Annotated[float, Field(ge=0)] | None = None

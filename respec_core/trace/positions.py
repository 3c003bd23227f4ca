"""Acceptance by position in the draft, conditional and unconditional, with the counts behind it. Imports no torch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from respec_core.trace.round import Step
from respec_core.trace.schema import PositionAcceptance


def by_position(steps: Sequence[Step]) -> tuple[PositionAcceptance, ...]:
    """One entry for every depth that some draft reached, from 1.

    ``drafted`` rounds had a node at this depth, ``judged`` ones had one right below what was accepted before it,
    ``accepted`` ones took it: conditional is accepted ÷ judged, unconditional accepted ÷ drafted. A depth that was not
    drafted is no rejection, and neither is one that hangs on another branch. A round that a stop cut short says nothing
    about acceptance and is left out.
    """
    positions = Positions()
    for step in steps:
        positions.add(step)
    return positions.found()


def counted(rounds: Iterable[tuple[int, int, bool]]) -> tuple[PositionAcceptance, ...]:
    """The same from how deep each round drafted, how many of it were accepted, and whether a node hung below the last of these."""
    positions = Positions()
    for deepest, taken, goes_on in rounds:
        positions.count(deepest, taken, goes_on)
    return positions.found()


class Positions:
    """The counts behind :func:`by_position`, round by round."""

    def __init__(self) -> None:
        self._drafted, self._judged, self._accepted = Counter[int](), Counter[int](), Counter[int]()

    def add(self, step: Step) -> None:
        """The next round."""
        nodes, path = step.trees.final, step.commit.path_node_ids
        if step.commit.stopped is None:
            last = path[-1] if path else 0
            self.count(max(node.depth for node in nodes), len(path), any(node.parent == last for node in nodes))

    def count(self, deepest: int, taken: int, goes_on: bool) -> None:
        """A round as :func:`counted` has it."""
        self._drafted.update(range(1, deepest + 1))
        self._judged.update(range(1, taken + goes_on + 1))
        self._accepted.update(range(1, taken + 1))

    def found(self) -> tuple[PositionAcceptance, ...]:
        """One entry a depth."""
        drafted, judged, accepted = self._drafted, self._judged, self._accepted
        return tuple(
            PositionAcceptance(
                depth=depth,
                drafted=drafted[depth],
                judged=judged[depth],
                accepted=accepted[depth],
                conditional=accepted[depth] / judged[depth] if judged[depth] else None,
                unconditional=accepted[depth] / drafted[depth],
            )
            for depth in sorted(drafted)
        )

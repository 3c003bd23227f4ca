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
    rounds = []
    for step in steps:
        nodes, path = step.trees.final, step.commit.path_node_ids
        if step.commit.stopped is None:
            last = path[-1] if path else 0
            goes_on = any(node.parent == last for node in nodes)
            rounds.append((max(node.depth for node in nodes), len(path), goes_on))
    return counted(rounds)


def counted(rounds: Iterable[tuple[int, int, bool]]) -> tuple[PositionAcceptance, ...]:
    """The same from how deep each round drafted, how many of it were accepted, and whether a node hung below the last of these."""
    drafted, judged, accepted = Counter[int](), Counter[int](), Counter[int]()
    for deepest, taken, goes_on in rounds:
        drafted.update(range(1, deepest + 1))
        judged.update(range(1, taken + goes_on + 1))
        accepted.update(range(1, taken + 1))
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

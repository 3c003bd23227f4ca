"""Acceptance by position in the draft, conditional and unconditional, with the counts behind it. Imports no torch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from respec_core.trace.round import Step
from respec_core.trace.schema import PositionAcceptance


def by_position(steps: Sequence[Step]) -> tuple[PositionAcceptance, ...]:
    """One entry for every depth that some draft reached, from 1.

    ``drafted`` rounds had a node at this depth, ``judged`` ones had one right below what was accepted before it,
    ``accepted`` ones took it: conditional is accepted ÷ judged, unconditional accepted ÷ drafted. A depth that was not
    drafted is no rejection, and neither is one that hangs on another branch. A round that a stop cut short says nothing
    about acceptance and is left out.
    """
    drafted: Counter[int] = Counter()
    judged: Counter[int] = Counter()
    accepted: Counter[int] = Counter()
    for step in steps:
        nodes, path = step.trees.final, step.commit.path_node_ids
        if step.commit.stopped is not None:
            continue
        last = path[-1] if path else 0
        goes_on = any(node.parent == last for node in nodes)
        drafted.update(range(1, max(node.depth for node in nodes) + 1))
        judged.update(range(1, len(path) + goes_on + 1))
        accepted.update(range(1, len(path) + 1))
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

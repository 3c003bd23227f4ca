"""The draft trees of a run's rounds, to be shown at one output position beside another run's."""

from __future__ import annotations

from collections.abc import Sequence

from app.panels.room import room_for
from app.panels.tree import TreeView, step_tree
from respec_core.trace.placing import placed_rounds
from respec_core.trace.schema import Run

Trees = tuple[TreeView | None, ...]


def drawn(runs: Sequence[Run]) -> tuple[Trees, ...]:
    """Of each run, one entry a round: its tree, None where nothing was drafted.

    All runs together get the room of one.
    """
    room = room_for(sum(len(run.steps) for run in runs))
    return tuple(_of(run, room) for run in runs)


def _of(run: Run, room: int) -> Trees:
    return tuple(
        step_tree(placed.step, placed.tokens[-1].piece if placed.step.commit.extra and placed.tokens else "", room)
        if len(placed.step.trees.final) > 1
        else None
        for placed in placed_rounds(run)
    )

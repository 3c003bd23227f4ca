"""``knob``: one setting to move, what comes of each value, and a task that is checked."""

from __future__ import annotations

from typing import Literal, TypedDict

from app.learn.goal import Goal, Reading, checked
from app.learn.knobs.knob import KnobFields
from app.learn.knobs.registry import KNOBS
from app.learn.widget import Runs, Widget
from respec_core.errors import ReSpecError, quoted

MOST_DRAWN = 2


class KnobView(TypedDict):
    """A slider over readings; ``shown`` are the metrics that are drawn, ``say`` the task in words, ``goal`` as a condition."""

    kind: Literal["knob"]
    title: str
    readings: list[Reading]
    names: dict[str, str]
    shown: list[str]
    start: float
    goal: str
    say: str


def knob_view(fields: KnobFields, runs: Runs) -> KnobView:
    """Everything that can come of the knob.

    Raises:
        ReSpecError: for an unknown knob or metric, or a goal that cannot be reached.
    """
    knob = KNOBS.get(fields.knob)
    if knob is None:
        raise ReSpecError(f"There is no knob {quoted(fields.knob)}; there are: {', '.join(KNOBS)}.")
    readings = knob.readings(fields, runs)
    usual = readings[-1]["value"] if knob.start is None else knob.start
    start = usual if fields.start is None else fields.start
    if start not in [one["value"] for one in readings]:
        raise ReSpecError(f"The knob {knob.name} has no value {start:g} to start from.")
    if fields.goal:
        Goal.parse(fields.goal, readings, start)
    shown = [name.strip() for name in fields.draw.split(",")] if fields.draw else [next(iter(knob.names))]
    if len(shown) > MOST_DRAWN or not knob.names.keys() >= set(shown):
        raise ReSpecError(
            f"The knob {knob.name} draws one or two of {', '.join(knob.names)}, not {quoted(fields.draw)}."
        )
    return {
        "kind": "knob",
        "title": knob.title,
        "readings": readings,
        "names": knob.names,
        "shown": shown,
        "start": start,
        "goal": fields.goal,
        "say": fields.say,
    }


WIDGET = Widget("knob", KnobFields, knob_view, checked)

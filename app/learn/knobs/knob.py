"""What every knob is: the values it has, and what comes of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.learn.goal import Reading
from app.learn.widget import Fields, Runs


class KnobFields(Fields):
    """What a lesson says of a knob.

    Attributes:
        trace: the recorded run.
        goal, say: the task, as a condition and in words; without a goal there is nothing to check.
        start: the value that it opens with, if not the knob's own.
        draw: the metric that is drawn, if not the knob's first; or two of one unit, with a comma between them.
        p, q, phrases: for knobs that take distributions or texts.
    """

    knob: str
    trace: str = ""
    goal: str = ""
    say: str = ""
    start: float | None = None
    draw: str = ""
    p: str = ""
    q: str = ""
    phrases: str = ""


@dataclass(frozen=True)
class Knob:
    """One.

    Attributes:
        title: of the slider.
        names: metrics in words.
        start: the value that it opens with; None is the last.
        readings: what comes of each value, ascending.
    """

    name: str
    title: str
    names: dict[str, str]
    start: float | None
    readings: Callable[[KnobFields, Runs], list[Reading]]

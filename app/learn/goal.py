"""A goal in a lesson: ``metric < number``, or several joined by ``and``; a number may be a fraction such as ``1/3``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from app.learn.widget import Verdict, as_number
from respec_core.errors import ReSpecError, quoted

COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
CONDITION = re.compile(r"(?P<metric>[a-z_]+) *(?P<sign><=|>=|<|>|=) *(?P<number>\d+(?:\.\d+)?)(?:/(?P<by>[1-9]\d*))?")


class Reading(TypedDict):
    """What comes of one value of a knob: a sentence, and numbers by name."""

    value: float
    label: str
    sentence: str
    metrics: dict[str, float]


@dataclass(frozen=True)
class Condition:
    """``metric`` compared with ``number``."""

    metric: str
    sign: str
    number: float

    def holds(self, metrics: Mapping[str, float]) -> bool:
        """Whether it does."""
        return COMPARISONS[self.sign](metrics[self.metric], self.number)


@dataclass(frozen=True)
class Goal:
    """All of its conditions."""

    conditions: tuple[Condition, ...]

    @classmethod
    def parse(cls, text: str, readings: Sequence[Reading], start: float | None = None) -> Goal:
        """Read a goal that some reading meets, and not the one at ``start``, where there is one.

        Raises:
            ReSpecError: for anything else.
        """
        conditions = tuple(_condition(part.strip()) for part in text.split(" and "))
        known = readings[0]["metrics"]
        if unknown := next((one.metric for one in conditions if one.metric not in known), None):
            raise ReSpecError(f"The goal names {unknown}, which is not measured here; there are: {', '.join(known)}.")
        goal = cls(conditions)
        if not any(map(goal.met, readings)):
            raise ReSpecError(f"No value reaches the goal ‘{text}’.")
        if any(goal.met(one) for one in readings if one["value"] == start):
            raise ReSpecError(f"The goal ‘{text}’ is met from the start: begin elsewhere with start.")
        return goal

    def met(self, reading: Reading) -> bool:
        """Whether a reading meets all."""
        return all(one.holds(reading["metrics"]) for one in self.conditions)

    def verdict(self, reading: Reading, names: Mapping[str, str]) -> Verdict:
        """Of a reading, with its numbers; ``names`` say the metrics in words."""
        metrics = reading["metrics"]
        told = ", ".join(
            f"{names[one.metric]} {'is' if one.holds(metrics) else 'should be'} {one.sign} {one.number:.3g} "
            f"({metrics[one.metric]:.3g} here)"
            for one in self.conditions
        )
        right = self.met(reading)
        return {"right": right, "sentence": f"{'Right' if right else 'Not yet'}: at {reading['label']}, {told}."}


def checked(view: Mapping[str, Any], given: object) -> Verdict:
    """The verdict about the value that a reader gives, of a view with ``readings``, their ``names`` and a ``goal``."""
    value, readings = as_number(given), view["readings"]
    near = next((one for one in readings if value is not None and abs(one["value"] - value) < 1e-6), None)
    if near is None or not view["goal"]:
        return {"right": False, "sentence": "Choose a value on the slider first."}
    return Goal.parse(view["goal"], readings, view["start"]).verdict(near, view["names"])


def _condition(text: str) -> Condition:
    found = CONDITION.fullmatch(text)
    if found is None:
        raise ReSpecError(f"The goal {quoted(text)} is not of the form ‘metric < number’.")
    return Condition(found["metric"], found["sign"], float(found["number"]) / int(found["by"] or 1))

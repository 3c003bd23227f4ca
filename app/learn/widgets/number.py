"""``number``: a task whose answer is a number that the reader works out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from app.learn.asks import ASKS, AskFields
from app.learn.widget import Runs, Verdict, Widget, as_number
from respec_core.errors import ReSpecError, quoted

NEAR = 0.006  # two decimals, rounded or cut


class NumberView(TypedDict):
    """The task, what is given, the right number and how it comes about."""

    kind: Literal["number"]
    say: str
    given: str
    right: float
    because: str


def number_view(fields: AskFields, runs: Runs) -> NumberView:
    """The task.

    Raises:
        ReSpecError: for an unknown one.
    """
    if fields.ask not in ASKS:
        raise ReSpecError(f"There is no number {quoted(fields.ask)} to ask for; there are: {', '.join(ASKS)}.")
    asked = ASKS[fields.ask](fields, runs)
    return {
        "kind": "number",
        "say": fields.say,
        "given": asked.given,
        "right": asked.right,
        "because": asked.because,
    }


def number_checked(view: Mapping[str, Any], given: object) -> Verdict:
    """Right to two decimals."""
    value = as_number(given)
    if value is None:
        return {"right": False, "sentence": "Write a number first."}
    if abs(value - view["right"]) <= NEAR:
        return {"right": True, "sentence": f"Right: {view['because']}"}
    return {"right": False, "sentence": f"Not yet: {value:g} is too {'large' if value > view['right'] else 'small'}."}


WIDGET = Widget("number", AskFields, number_view, number_checked)

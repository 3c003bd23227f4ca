"""``predict`` and ``myth``: questions whose right answers are computed, before they are revealed."""

from __future__ import annotations

from typing import Literal, TypedDict

from app.learn.question import Question
from app.learn.questions.asked import QuestionFields
from app.learn.questions.registry import MYTHS, PREDICTIONS
from app.learn.widget import Runs, Widget
from respec_core.errors import ReSpecError, quoted


class MythFields(QuestionFields):
    """A misconception by its name, in the words that it is met in."""

    claim: str


class QuestionView(TypedDict):
    """A question; ``claim`` is the misconception that it is about, if it is about one."""

    kind: Literal["question"]
    claim: str
    asked: str
    options: list[str]
    right: int
    because: str


def predict_view(fields: QuestionFields, runs: Runs) -> QuestionView:
    """A question from a trace.

    Raises:
        ReSpecError: for an unknown one, or a trace that it cannot be asked of.
    """
    if fields.about not in PREDICTIONS:
        raise ReSpecError(f"There is no question about {quoted(fields.about)}; there are: {', '.join(PREDICTIONS)}.")
    return _view(PREDICTIONS[fields.about](fields, runs), "")


def myth_view(fields: MythFields, runs: Runs) -> QuestionView:
    """A misconception with its counter-example.

    Raises:
        ReSpecError: for an unknown one, or a trace that does not contradict it.
    """
    if fields.about not in MYTHS:
        raise ReSpecError(f"There is no misconception {quoted(fields.about)}; there are: {', '.join(MYTHS)}.")
    return _view(MYTHS[fields.about](fields, runs), fields.claim)


def _view(question: Question, claim: str) -> QuestionView:
    return {
        "kind": "question",
        "claim": claim,
        "asked": question.asked,
        "options": list(question.options),
        "right": question.right,
        "because": question.because,
    }


PREDICT = Widget("predict", QuestionFields, predict_view)
MYTH = Widget("myth", MythFields, myth_view)

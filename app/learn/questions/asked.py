"""What a lesson says of a question."""

from __future__ import annotations

from collections.abc import Callable

from app.learn.question import Question
from app.learn.widget import Fields, Runs


class QuestionFields(Fields):
    """Which question, of which run and round; 0 is a telling one."""

    about: str
    trace: str = ""
    round: int = 0
    p: str = ""
    q: str = ""
    phrases: str = ""
    text: str = ""


Ask = Callable[[QuestionFields, Runs], Question]

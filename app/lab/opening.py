"""A position of a text as a replayed run, for the browser to keep and Live to open."""

from __future__ import annotations

from typing import Annotated, TypedDict

from app.compare.comparison import title_of
from app.lab.asked import Question, config_of
from app.lab.sets import TextSet
from app.outcome import Outcome, outcome_of
from app.panels import JsonOf, RecordJson
from app.setup import Setup, setup_of
from respec_core.trace.schema import Run


class RoundAnswer(TypedDict):
    """The run and what the shelf says of it; ``round`` is the one that wrote the position."""

    trace: Annotated[RecordJson, JsonOf(Run)]
    title: str
    setup: Setup
    outcome: Outcome
    round: int


def round_answer(asked: Question, among: TextSet) -> RoundAnswer:
    """The replayed run.

    Raises:
        ReSpecError: for settings that cannot be replayed.
    """
    from respec_core.lab.retold import retold, rounds_of

    config, text = config_of(among.atlas, asked.method, asked.pinned), among.text(asked.text)
    run = retold(among.atlas, text.stage, config)
    return {
        "trace": run.model_dump(mode="json"),
        "title": title_of(run),
        "setup": setup_of(run.settings),
        "outcome": outcome_of(run),
        "round": rounds_of(run, asked.at),
    }

"""``run``: a recorded run's text and draft trees, round by round; with a goal, a round to find."""

from __future__ import annotations

from typing import Literal, TypedDict

from app.learn.goal import Goal, Reading, checked
from app.learn.recorded import round_of, telling_round
from app.learn.widget import Fields, Runs, Widget
from app.panels.rounds import round_view
from respec_core.trace.placing import PlacedRound, placed_rounds
from respec_core.trace.round import RETRIEVED_SOURCES
from respec_core.trace.schema import Run

NAMES = {
    "accepted": "the number of accepted draft tokens",
    "drafted": "the number of drafted tokens",
    "tokens": "the number of committed tokens",
    "copied": "the number of accepted copied tokens",
    "bonus": "whether the round ends in a bonus token",
    "relaxed": "the number of relaxed tokens",
}


class RunFields(Fields):
    """Which run, and where it opens; the task as a condition and in words.

    Attributes:
        round: 0 is a telling one.
        opens: a condition; the first round that meets it is shown instead.
    """

    trace: str
    round: int = 1
    opens: str = ""
    goal: str = ""
    say: str = ""


class PlayerView(TypedDict):
    """A run to step through, one of its lesson's; ``readings`` are its rounds, ``start`` is one of them, from 1."""

    kind: Literal["run"]
    trace: str
    readings: list[Reading]
    names: dict[str, str]
    start: float
    goal: str
    say: str


def player_view(fields: RunFields, runs: Runs) -> PlayerView:
    """The run.

    Raises:
        ReSpecError: if there is none, or not that round; for a goal or a condition that no round meets.
    """
    run = runs(fields.trace)
    readings = [_reading(placed) for placed in placed_rounds(run)]
    start = _opening(fields, run, readings)
    if fields.goal:
        Goal.parse(fields.goal, readings, start)
    return {
        "kind": "run",
        "trace": fields.trace,
        "readings": readings,
        "names": NAMES,
        "start": start,
        "goal": fields.goal,
        "say": fields.say,
    }


def _opening(fields: RunFields, run: Run, readings: list[Reading]) -> float:
    if fields.opens:
        opening = Goal.parse(fields.opens, readings)
        return next(one["value"] for one in readings if opening.met(one))
    return (round_of(run, fields.round) if fields.round else telling_round(run, 0)).step.i + 1


def _reading(placed: PlacedRound) -> Reading:
    step = placed.step
    said, commit = round_view(step), step.commit
    path = [step.trees.final[node] for node in commit.path_node_ids]
    metrics: dict[str, float] = {
        "accepted": commit.n_accepted,
        "drafted": len(step.trees.final) - 1,
        "tokens": len(commit.emitted_ids),
        "copied": sum(bool(RETRIEVED_SOURCES.intersection(node.sources)) for node in path),
        "bonus": float(commit.extra is not None and commit.extra.kind == "bonus" and len(step.trees.final) > 1),
        "relaxed": commit.n_relaxed,
    }
    number = step.i + 1
    sentence = f"{said['reason']} → {said['outcome']}."
    return {"value": number, "label": f"round {number}", "sentence": sentence, "metrics": metrics}


WIDGET = Widget("run", RunFields, player_view, checked)

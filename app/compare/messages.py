"""What Compare's page is sent; packets are those of ``app.messages``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from app.compare.asked import CompareWishes
from app.compare.comparison import compared, title_of
from app.compare.trees import Trees, drawn
from app.compare.views import Comparison
from app.message_types import ErrorMessage
from app.outcome import Outcome, Timed, outcome_of, timed
from app.panels import JsonOf, RecordJson
from app.setup import Setup, setup_of
from respec_core.trace.schema import Run
from respec_core.trace.speed import Speed


class WishesMessage(TypedDict):
    """The form as the page's address has it."""

    kind: Literal["wishes"]
    wishes: CompareWishes


class LaneMessage(TypedDict):
    """How far a configuration has come: ``points`` are pairs of engine milliseconds and tokens, since the last message."""

    kind: Literal["lane"]
    lane: int
    lanes: int
    title: str
    points: list[tuple[float, int]]
    most: int


class TurnsMessage(TypedDict):
    """Silent repeats that are done."""

    kind: Literal["turns"]
    done: int
    total: int


class MadeMessage(TypedDict):
    """A run that was made for the comparison, for the browser to keep; ``title`` is its method's."""

    kind: Literal["made"]
    trace: Annotated[RecordJson, JsonOf(Run)]
    title: str
    setup: Setup
    outcome: Outcome


class TimedMessage(TypedDict):
    """× plain of a run that was made for the comparison, from silent repeats; for the browser to keep beside it."""

    kind: Literal["timed"]
    run: str
    speed: Timed


class ComparisonMessage(TypedDict):
    """Everything so far; the last of a stream is ``final``."""

    kind: Literal["comparison"]
    comparison: Annotated[RecordJson, JsonOf(Comparison)]
    trees: tuple[Trees, ...]
    final: bool
    title: str


CompareMessage = (
    WishesMessage | LaneMessage | TurnsMessage | MadeMessage | TimedMessage | ComparisonMessage | ErrorMessage
)


class ComparePacket(TypedDict):
    """Messages of one stream."""

    stream: str
    seq: int
    messages: list[CompareMessage]


def made_message(run: Run) -> MadeMessage:
    """The whole run."""
    return {
        "kind": "made",
        "trace": run.model_dump(mode="json"),
        "title": title_of(run),
        "setup": setup_of(run.settings),
        "outcome": outcome_of(run),
    }


def timed_messages(runs: Sequence[Run], speeds: Sequence[Speed | None]) -> list[CompareMessage]:
    """One for each run that has a speed."""
    pairs = zip(runs, speeds, strict=False)  # there are none where the repeats were stopped
    return [{"kind": "timed", "run": run.run_id, "speed": timed(speed)} for run, speed in pairs if speed is not None]


def comparison_message(
    runs: Sequence[Run], speeds: Sequence[Speed | None] = (), *, final: bool = True, title: str = ""
) -> ComparisonMessage:
    """The runs beside each other.

    Raises:
        ReSpecError: if they cannot be compared.
    """
    view = compared(runs, speeds).model_dump(mode="json")
    return {"kind": "comparison", "comparison": view, "trees": drawn(runs), "final": final, "title": title}

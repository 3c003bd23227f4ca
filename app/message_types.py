"""The messages, each a dictionary of its ``kind``; the browser knows them by the same names (``app.view_types``)."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from app.outcome import Outcome
from app.panels import JsonOf, RecordJson
from app.panels.drawing import AddedMarks, Figure
from app.panels.metrics import MetricsView
from app.panels.panel import ById, View
from app.panels.retrieval import RetrievalView
from app.panels.rounds import RoundView
from app.panels.tree import TreeView
from app.panels.trigger import TriggerView
from app.setup import Setup
from respec_core.trace.round import Step
from respec_core.trace.schema import Run, Summary, Token


class Titles(TypedDict):
    """What the page says of a method beside its name."""

    title: str
    paper: str


RunHead = Annotated[RecordJson, JsonOf(Run, without=("steps", "tokens"), plus=Titles)]
StepJson = Annotated[RecordJson, JsonOf(Step)]
SummaryJson = Annotated[RecordJson, JsonOf(Summary)]
TokenJson = Annotated[RecordJson, JsonOf(Token)]
RoundPanels = Annotated[dict[str, View | None], ById("RoundPanels")]
LivePanels = Annotated[dict[str, View | None], ById("LivePanels")]
RunPanels = Annotated[
    dict[str, View | str | None], ById("RunPanels")
]  # of a panel about rounds, its line about the run


class RunFigures(TypedDict):
    """The figures that grow with a run."""

    entropy: Figure
    timeline: Figure


class AddedPoints(TypedDict):
    """What a round adds to them."""

    entropy: list[AddedMarks]
    timeline: list[AddedMarks]


class RoundViews(TypedDict):
    """What the panels show of a round."""

    tree: TreeView
    round: RoundView
    retrieval: RetrievalView | None
    trigger: TriggerView | None
    panels: RoundPanels


class StartMessage(TypedDict):
    """A run begins."""

    kind: Literal["start"]
    run: RunHead
    setup: Setup
    figures: RunFigures


class PrefillMessage(TypedDict):
    """Prompt progress, in tokens."""

    kind: Literal["prefill"]
    done: int
    total: int


class DraftMessage(TypedDict):
    """A draft goes to the target."""

    kind: Literal["draft"]
    i: int
    reason: str
    tree: TreeView


class RoundMessage(TypedDict):
    """A finished round."""

    kind: Literal["round"]
    step: StepJson
    tokens: list[TokenJson]
    view: RoundViews
    append: AddedPoints


class SummaryMessage(TypedDict):
    """What the run's trace would say of itself if it ended with the rounds before this."""

    kind: Literal["summary"]
    summary: SummaryJson


class MetricsMessage(MetricsView):
    """The run's numbers so far."""

    kind: Literal["metrics"]
    ticks: list[str]
    panels: LivePanels


class EndMessage(TypedDict):
    """A run is over: all that its ``rounds`` have not said already. Who has fewer of them asks for the whole."""

    kind: Literal["end"]
    rounds: int
    run: RunHead
    metrics: MetricsView | None
    outcome: Outcome
    panels: RunPanels
    append: AddedPoints
    ticks: list[str]


class PlainMessage(TypedDict):
    """Progress of timing run and plain decoding in turn, in runs."""

    kind: Literal["plain"]
    done: int
    total: int


class NothingMessage(TypedDict):
    """There is no run to show yet."""

    kind: Literal["nothing"]
    text: str


class ErrorMessage(TypedDict):
    """The run could not be made, in one sentence."""

    kind: Literal["error"]
    text: str


class Place(TypedDict):
    """Where the reader is: a round, and a token picked in it; both from 0."""

    round: int | None
    token: int | None


class PlayedRun(TypedDict):
    """A run's rounds and text, as a player needs them."""

    run: RunHead
    steps: list[StepJson]
    tokens: list[TokenJson]
    views: list[RoundViews]


class TraceMessage(PlayedRun):
    """Everything of a run that was there already; ``showcase`` is its name where it is one, ``place`` where to open it."""

    kind: Literal["trace"]
    setup: Setup
    figures: RunFigures
    metrics: MetricsView | None
    outcome: Outcome
    panels: RunPanels
    final: bool
    title: str
    autoplay: bool
    showcase: str
    place: Place


Message = (
    StartMessage
    | PrefillMessage
    | DraftMessage
    | RoundMessage
    | SummaryMessage
    | MetricsMessage
    | EndMessage
    | PlainMessage
    | NothingMessage
    | ErrorMessage
    | TraceMessage
)


class Packet(TypedDict):
    """Messages of one stream; packets of a stream are numbered from 0."""

    stream: str
    seq: int
    messages: list[Message]

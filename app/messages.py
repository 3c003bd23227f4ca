"""What the page is sent: small deltas while a run goes on, and at its end what these did not say.

A packet is JSON text ``{"stream", "seq", "messages"}``. ``seq`` counts packets of one stream, so that the page
notices a lost one, and asks for all of them again at its end (``sent_packets.py``). No torch, no gradio.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from app.json_text import json_text
from app.message_types import (
    DraftMessage,
    EndMessage,
    ErrorMessage,
    MetricsMessage,
    NothingMessage,
    Place,
    PlainMessage,
    PlayedRun,
    PrefillMessage,
    RoundMessage,
    RoundViews,
    RunFigures,
    RunHead,
    StartMessage,
    StepJson,
    SummaryMessage,
    TraceMessage,
)
from app.outcome import outcome_of
from app.panels import RecordJson
from app.panels.entropy import entropy_base, entropy_figure, entropy_points
from app.panels.metrics import metrics_view
from app.panels.registry import live_views, round_views, run_views
from app.panels.retrieval import retrieval_view
from app.panels.room import WHOLE, room_for
from app.panels.rounds import round_view
from app.panels.timeline import (
    no_bars,
    plain_bar,
    spent_by_phase,
    timeline_bars,
    timeline_base,
    timeline_figure,
    timeline_ticks,
)
from app.panels.tree import step_tree, tree
from app.panels.trigger import trigger_view
from app.setup import setup_of
from respec_core.methods.registry import METHODS
from respec_core.trace.events import Drafted
from respec_core.trace.placing import PlacedRound, placed_rounds
from respec_core.trace.round import Step, Trees
from respec_core.trace.schema import Run, Summary, Token

NOWHERE: Place = {"round": None, "token": None}


class Packer:
    """Numbers the packets of one stream."""

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self._seq = 0

    def pack(self, messages: Sequence[Mapping[str, object]]) -> str:
        """The next packet."""
        packet = {"stream": self.stream, "seq": self._seq, "messages": list(messages)}
        self._seq += 1
        return json_text(packet)


def started(head: Run) -> StartMessage:
    """A run begins: its head and the empty figures."""
    figures: RunFigures = {"entropy": entropy_base(), "timeline": timeline_base()}
    return {"kind": "start", "run": _head(head), "setup": setup_of(head.settings), "figures": figures}


def prefilled(done: int, total: int) -> PrefillMessage:
    """Prompt progress."""
    return {"kind": "prefill", "done": done, "total": total}


def drafted(event: Drafted) -> DraftMessage:
    """A draft goes to the target."""
    return {
        "kind": "draft",
        "i": event.i,
        "reason": event.decision.reason,
        "tree": tree(event.nodes),
    }


class RoundWriter:
    """Turns rounds into messages; remembers only where the next one starts on the axes."""

    def __init__(self) -> None:
        self._start = 0
        self._start_ms = 0.0

    def write(self, step: Step, tokens: Sequence[Token]) -> RoundMessage:
        """A finished round: its step, its panels, and what it adds to the figures of the run."""
        round = PlacedRound(step, tokens, self._start, self._start_ms)
        self._start, self._start_ms = round.end, round.end_ms
        return {
            "kind": "round",
            "step": _shown_step(step),
            "tokens": [token.model_dump(mode="json") for token in tokens],
            "view": _round_view(step, tokens),
            "append": {"entropy": entropy_points(round), "timeline": timeline_bars(round)},
        }


def summed(summary: Summary) -> SummaryMessage:
    """What the trace would say of itself if it ended here."""
    return {"kind": "summary", "summary": summary.model_dump(mode="json")}


def running(run: Run) -> MetricsMessage:
    """The numbers of the run so far."""
    return {
        "kind": "metrics",
        **metrics_view(run, running=True),
        "ticks": timeline_ticks(spent_by_phase(run.steps), run.reference_ar),
        "panels": live_views(run),
    }


def ended(run: Run) -> EndMessage:
    """It is over; a packet that does not grow with its rounds."""
    reference = run.reference_ar
    return {
        "kind": "end",
        "rounds": len(run.steps),
        "run": _head(run),
        "metrics": metrics_view(run) if run.summary else None,
        "outcome": outcome_of(run),
        "panels": run_views(run),
        "append": {"entropy": [], "timeline": plain_bar(reference) if reference else no_bars()},
        "ticks": timeline_ticks(spent_by_phase(run.steps), reference),
    }


def measuring(done: int, total: int) -> PlainMessage:
    """How many of the silent runs are over."""
    return {"kind": "plain", "done": done, "total": total}


def nothing(sentence: str) -> NothingMessage:
    """No run yet, and what to do."""
    return {"kind": "nothing", "text": sentence}


def failed(sentence: str) -> ErrorMessage:
    """The run could not be made, in one sentence."""
    return {"kind": "error", "text": sentence}


def whole(
    run: Run,
    *,
    final: bool = True,
    title: str = "",
    autoplay: bool = False,
    broken: Sequence[str] = (),
    showcase: str = "",
    place: Place = NOWHERE,
) -> TraceMessage:
    """Everything of a run that is there: a recorded one, or a trace that was opened, with the invariants that it breaks."""
    room = room_for(len(run.steps))
    views = [_round_view(round.step, round.tokens, room) for round in placed_rounds(run)]
    figures: RunFigures = {"entropy": entropy_figure(run), "timeline": timeline_figure(run)}
    return {
        "kind": "trace",
        "run": _head(run),
        "setup": setup_of(run.settings),
        "steps": [_shown_step(step) for step in run.steps],
        "tokens": [token.model_dump(mode="json") for token in run.tokens],
        "views": views,
        "figures": figures,
        "metrics": metrics_view(run, broken=broken) if run.summary else None,
        "outcome": outcome_of(run),
        "panels": run_views(run),
        "final": final,
        "title": title,
        "autoplay": autoplay,
        "showcase": showcase,
        "place": place,
    }


def played(run: Run, room: int) -> PlayedRun:
    """A run as a lesson plays it: without what was drafted and not sent, and without the panels of its method.

    Args:
        room: for the nodes of a tree.
    """
    sent = [step.model_copy(update={"trees": Trees(final=step.trees.final)}) for step in run.steps]
    return {
        "run": _head(run),
        "steps": [_shown_step(step) for step in sent],
        "tokens": [token.model_dump(mode="json") for token in run.tokens],
        "views": [
            {
                "tree": step_tree(round.step, _own_piece(round.step, round.tokens), room),
                "round": round_view(round.step),
                "retrieval": retrieval_view(round.step, room),
                "trigger": None,
                "panels": {},
            }
            for round in placed_rounds(run)
        ],
    }


def trace_from(message: TraceMessage) -> RecordJson:
    """The trace inside a :func:`whole` message, as it is exported."""
    run = {name: value for name, value in message["run"].items() if name not in ("title", "paper")}
    return run | {"steps": message["steps"], "tokens": message["tokens"]}


def _head(run: Run) -> RunHead:
    head = run.model_dump(mode="json", exclude={"steps", "tokens"})
    method = next((m for m in METHODS if m.name == run.method), None)
    return head | {"title": method.title if method else run.method, "paper": method.paper if method else ""}


def _shown_step(step: Step) -> StepJson:
    """A round as its trace file has it; nodes, which are many, without the fields that say nothing."""
    return step.model_dump(mode="json", exclude={"trees"}) | {
        "trees": {
            name: nodes and [node.model_dump(mode="json", exclude_none=True) for node in nodes]
            for name, nodes in (
                ("final", step.trees.final),
                ("drafter", step.trees.drafter),
                ("retrieval", step.trees.retrieval),
            )
        }
    }


def _round_view(step: Step, tokens: Sequence[Token], room: int = WHOLE) -> RoundViews:
    return {
        "tree": step_tree(step, _own_piece(step, tokens), room),
        "round": round_view(step),
        "retrieval": retrieval_view(step, room),
        "trigger": trigger_view(step.decision),
        "panels": round_views(step, tokens, room),
    }


def _own_piece(step: Step, tokens: Sequence[Token]) -> str:
    """The target's own token of a round."""
    return tokens[-1].piece if step.commit.extra is not None and tokens else ""


def packets(run: Run, stream: str) -> Iterator[str]:
    """A trace as one packet."""
    yield Packer(stream).pack([whole(run)])

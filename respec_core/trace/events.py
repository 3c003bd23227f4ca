"""What the decode loop yields, and how the events fold into a trace. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from respec_core.trace.round import Decision, FinishReason, Hit, Node, Step
from respec_core.trace.schema import Run, Summary, Token
from respec_core.trace.summary import SummaryCounts


@dataclass(frozen=True)
class RunStarted:
    """The run's head: a :class:`Run` without steps."""

    run: Run


@dataclass(frozen=True)
class Prefilled:
    """``done`` of ``total`` prompt tokens are in the cache."""

    done: int
    total: int


@dataclass(frozen=True)
class Drafted:
    """A draft is ready and goes to the target next; nodes have no outcome yet."""

    i: int
    decision: Decision
    retrieval: tuple[Hit, ...]
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Committed:
    """A round is over: its step record and the tokens it added."""

    step: Step
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class RunFinished:
    """The end. ``wall_s`` counts decoding, ``prefill_s`` the prompt."""

    reason: FinishReason
    wall_s: float
    prefill_s: float


Event = RunStarted | Prefilled | Drafted | Committed | RunFinished


class TraceFolder:
    """Folds events into a :class:`Run`. Readable at any time: without a :class:`RunFinished` it is ``cancelled``."""

    def __init__(self) -> None:
        self._head: Run | None = None
        self._steps: list[Step] = []
        self._tokens: list[Token] = []
        self._end: RunFinished | None = None
        self._tally = SummaryCounts()

    def add(self, event: Event) -> None:
        """Take in the next event."""
        match event:
            case RunStarted():
                self._head = event.run
            case Committed():
                self._steps.append(event.step)
                self._tokens.extend(event.tokens)
            case RunFinished():
                self._end = event

    @property
    def started(self) -> bool:
        """Whether there is anything to show yet."""
        return self._head is not None

    def run(self) -> Run:
        """The trace of all events so far.

        Raises:
            ValueError: before the first event.
        """
        if self._head is None:
            raise ValueError("no run has started")
        return self._head.model_copy(
            update={
                "steps": tuple(self._steps),
                "tokens": tuple(self._tokens),
                "output_ids": tuple(token.id for token in self._tokens),
                "output_text": "".join(token.text for token in self._tokens),
                "finish_reason": self._end.reason if self._end else "cancelled",
                "summary": self.summary(),
            }
        )

    def summary(self) -> Summary:
        """Of all rounds so far; each is counted once."""
        for step in self._steps[self._tally.passes :]:
            self._tally.add(step)
        # stopped from outside: what was measured is in the steps
        wall_s, prefill_s = (self._end.wall_s, self._end.prefill_s) if self._end else (self._tally.spent_ms / 1e3, 0.0)
        return self._tally.summary(len(self._tokens), wall_s, prefill_s)


def folded(events: Iterable[Event]) -> Run:
    """The trace of ``events``.

    Raises:
        ValueError: if there is none.
    """
    folder = TraceFolder()
    for event in events:
        folder.add(event)
    return folder.run()

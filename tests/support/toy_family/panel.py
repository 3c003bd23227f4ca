"""What the page shows of the toy: a round's draft, and the growth of the memory. Neither has a script of its own."""

from __future__ import annotations

from collections.abc import Sequence

from app.panels.drawing import Figure
from app.panels.panel import RoundPanel, RunPanel, View
from respec_core.trace.round import Step
from respec_core.trace.schema import Run, Token
from toy_family.record import Memory


def round_view(step: Step, tokens: Sequence[Token], room: int) -> View | None:
    """Drafted and accepted tokens of a round."""
    memory = step.record(Memory)
    assert memory is not None
    counts = {"drafted": memory.drafted, "accepted": memory.accepted}
    bars = {"type": "bar", "orientation": "h", "x": list(counts.values()), "y": list(counts), "hoverinfo": "none"}
    marks = {"customdata": [f"{n} {name}" for name, n in counts.items()], "marker": {"color": "var:accepted"}}
    return {
        "sentence": f"{memory.known} tokens have a remembered successor.",
        "figures": {"Tokens": figure(bars | marks, 130, 74)},
        "table": {
            "columns": [{"key": "what", "label": "tokens"}, {"key": "count", "label": "count", "numeric": True}],
            "rows": [{"what": name, "count": count} for name, count in counts.items()],
        },
    }


def accepted_in_all(run: Run) -> str:
    """A line about the whole run."""
    memories = [memory for step in run.steps if (memory := step.record(Memory)) is not None]
    return f"Whole run: {sum(memory.accepted for memory in memories)} remembered tokens accepted." if memories else ""


def growth_view(run: Run) -> View | None:
    """The memory's size, and what was accepted, over the rounds."""
    memories = [memory for step in run.steps if (memory := step.record(Memory)) is not None]

    def line(y: list[int], color: str) -> Figure:
        rounds = list(range(1, len(y) + 1))
        return figure(
            {"type": "scatter", "mode": "lines+markers", "x": rounds, "y": y, "line": {"color": color}}, 200, 44
        )

    return {
        "sentence": f"The memory grew to {memories[-1].known} tokens.",
        "figures": {
            "Remembered": line([memory.known for memory in memories], "var:accent"),
            "Accepted": line([memory.accepted for memory in memories], "var:accepted"),
        },
    }


def figure(trace: Figure, height: int, left: int) -> Figure:
    """One trace in a plain layout."""
    margin = {"l": left, "r": 12, "t": 8, "b": 30}
    return {"data": [trace], "layout": {"height": height, "margin": margin, "showlegend": False, "dragmode": False}}


ROUND = RoundPanel(id="memory", title="Memory", reads=("memory",), view=round_view, total=accepted_in_all)
GROWTH = RunPanel(
    id="memory-growth", title="Growth of the memory", tab="Growth", reads=("memory",), view=growth_view, live=True
)

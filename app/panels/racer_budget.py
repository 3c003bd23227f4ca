"""RACER's round: its borders as a ladder, how long each lay idle, and how the draft's size was shared out."""

from __future__ import annotations

from collections.abc import Sequence

from app.panels.drawing import Figure, Trace
from app.panels.labels import count
from app.panels.panel import GeneralView, RoundPanel
from respec_core.methods.racer.record import RacerBorder, RacerBudget
from respec_core.trace.round import Step
from respec_core.trace.schema import Token

COPIED, SHARED, GUESSED = "var:phase-retrieve", "var:accepted", "var:correction"
COLUMNS = (
    ("match", "match length"),
    ("windows", "n-grams"),
    ("idle", "idle for tokens"),
    ("sent", "drafted behind it"),
)


def round_view(step: Step, tokens: Sequence[Token], room: int) -> GeneralView | None:
    """The ladder, and the budget as one bar."""
    budget = step.record(RacerBudget)
    if budget is None:
        return None
    figures = {"Who fills the draft": _split(budget)}
    if budget.borders:
        figures = {"Borders, the longest on top": _ladder(budget.borders)} | figures
    return {
        "sentence": _sentence(budget),
        "figures": figures,
        "table": {
            "columns": [{"key": key, "label": label, "numeric": True} for key, label in COLUMNS],
            "rows": [
                {"match": border.match_len, "windows": border.windows, "idle": border.idle, "sent": border.sent}
                for border in budget.borders
            ],
        },
    }


def _sentence(budget: RacerBudget) -> str:
    size = budget.retrieved + budget.from_logits - budget.shared
    memory = f"{count(budget.states, 'state')} in memory, {budget.forgotten} forgotten."
    if not budget.borders:
        return f"No end of the text was seen before: {count(size, 'token')} from remembered successors alone. {memory}"
    longest = budget.borders[0]
    return (
        f"{count(len(budget.borders), 'end')} of the text stood before, the longest of {count(longest.match_len, 'token')}: "
        f"of {count(size, 'drafted token')} {budget.retrieved} are from n-grams and {budget.from_logits} from remembered "
        f"successors, {budget.shared} of them from both. {memory}"
    )


def _ladder(borders: Sequence[RacerBorder]) -> Figure:
    bars: Trace = {
        "type": "bar",
        "orientation": "h",
        "y": [f"{border.match_len} tokens" for border in borders],
        "x": [border.windows for border in borders],
        "hoverinfo": "none",
        "customdata": [
            f"{count(border.match_len, 'token')} stood so at the head of {count(border.windows, 'n-gram')}; last in use "
            f"{count(border.idle, 'token')} ago; {border.sent} drafted behind it"
            for border in borders
        ],
        "text": [f"idle {border.idle} · {border.sent} sent" for border in borders],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": COPIED},
    }
    most = max(border.windows for border in borders)
    return {
        "data": [bars],
        "layout": {
            "height": 60 + 24 * len(borders),
            "bargap": 0.3,
            "margin": {"l": 90, "r": 20, "t": 8, "b": 36},
            "showlegend": False,
            "dragmode": False,
            "xaxis": {"title": {"text": "n-grams that begin so"}, "range": [0, 1.6 * most], "dtick": max(1, most // 4)},
            "yaxis": {"type": "category", "autorange": "reversed"},
        },
    }


def _split(budget: RacerBudget) -> Figure:
    shares = (
        ("n-grams", budget.retrieved - budget.shared, COPIED),
        ("both", budget.shared, SHARED),
        ("successors", budget.from_logits - budget.shared, GUESSED),
    )
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "y": [name for name, _, _ in shares],
                "x": [nodes for _, nodes, _ in shares],
                "hoverinfo": "none",
                "customdata": [f"{count(nodes, 'token')}: {name}" for name, nodes, _ in shares],
                "marker": {"color": [colour for *_, colour in shares]},
            }
        ],
        "layout": {
            "height": 60 + 24 * len(shares),
            "bargap": 0.3,
            "margin": {"l": 90, "r": 20, "t": 8, "b": 36},
            "showlegend": False,
            "dragmode": False,
            "xaxis": {"title": {"text": "drafted tokens"}, "rangemode": "tozero"},
            "yaxis": {"type": "category", "autorange": "reversed"},
        },
    }


PANEL = RoundPanel(id="racer", title="Borders and the draft's size", tab="Borders", reads=("racer",), view=round_view)

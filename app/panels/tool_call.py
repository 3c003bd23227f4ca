"""ToolSpec's round: where in a call the text stands, what the schema lets follow, and which earlier answers were searched."""

from __future__ import annotations

from collections.abc import Sequence

from app.panels.drawing import Figure
from app.panels.labels import count, inert, short, visible
from app.panels.panel import GeneralView, RoundPanel
from respec_core.methods.toolspec.record import STATES, CallState, Recalled, ToolState
from respec_core.trace.round import Step
from respec_core.trace.schema import Token

NAMES: dict[CallState, str] = {
    "init": "opening and name",
    "first_param": "first parameter",
    "value": "free value",
    "remaining_param": "next parameter",
    "done": "call written",
}
MOST_TEXTS, MOST_NAMED = 24, 3  # in the table, in the sentence


def round_view(step: Step, tokens: Sequence[Token], room: int) -> GeneralView | None:
    """The machine's lamps, the expected texts, the recalled answers."""
    state = step.record(ToolState)
    if state is None:
        return None
    view: GeneralView = {"sentence": _sentence(step, state), "figures": {"State of the call": _lamps(state)}}
    if state.recalled:
        view["figures"]["Earlier questions, how alike"] = _recalled(state.recalled)
    if state.expected:
        view["table"] = {
            "columns": [{"key": "text", "label": "the schema lets follow", "mono": True}],
            "rows": [{"text": visible(text)} for text in state.expected[: min(MOST_TEXTS, room)]],
        }
    return view


def _sentence(step: Step, state: ToolState) -> str:
    where = f"“{short(state.tool, 40)}”" if state.tool else "a call"
    if state.state == "value":
        told = f"The value of “{short(state.parameter or '', 40)}” is the model's own to write."
    elif state.state == "init":
        told = "No call is open: its opening and a tool's name would come first."
    elif state.state == "done":
        told = f"The call of {where} has all its parameters."
    else:
        told = f"In the call of {where}: {NAMES[state.state]}."
    first = ", ".join(f"‘{short(text, 32)}’" for text in state.expected[:MOST_NAMED])
    more = " …" if len(state.expected) > MOST_NAMED else ""
    ways = f" The schema lets {count(len(state.expected), 'text')} follow: {first}{more}." if state.expected else ""
    if not state.expected and state.state in ("first_param", "remaining_param"):
        ways = " What is written there is no way on that the schema knows."
    drafted = {
        "schema": "It drafted this round.",
        "retrieval": "Copies of earlier text drafted this round.",
        "model": "Remembered successors drafted this round.",
    }.get(step.decision.chosen, "Nothing was drafted.")
    return f"{told}{ways} {drafted}"


def _lamps(state: ToolState) -> Figure:
    lit = [name == state.state for name in STATES]
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "lines+markers+text",
                "x": [*range(len(STATES))],
                "y": [0] * len(STATES),
                "text": [NAMES[name].replace(" ", "<br>", 1) for name in STATES],
                "textposition": "bottom center",
                "hoverinfo": "none",
                "customdata": [f"{NAMES[name]}{': here' if on else ''}" for name, on in zip(STATES, lit, strict=True)],
                "cliponaxis": False,
                "line": {"color": "var:line-strong", "width": 1},
                "marker": {
                    "size": [20 if on else 12 for on in lit],
                    "color": ["var:correction" if on else "var:surface" for on in lit],
                    "line": {"width": 1.5, "color": "var:outline"},
                },
            }
        ],
        "layout": {
            "height": 120,
            "margin": {"l": 40, "r": 40, "t": 16, "b": 56},
            "showlegend": False,
            "dragmode": False,
            "xaxis": {"visible": False, "range": [-0.4, len(STATES) - 0.6]},
            "yaxis": {"visible": False, "range": [-0.5, 0.5]},
        },
    }


def _recalled(recalled: Sequence[Recalled]) -> Figure:
    names = [inert(f"answer {one.answer}") for one in recalled]
    return {
        "data": [
            {
                "type": "bar",
                "orientation": "h",
                "y": names,
                "x": [one.cosine for one in recalled],
                "hoverinfo": "none",
                "customdata": [f"answer {one.answer}: cosine {one.cosine:.3f}" for one in recalled],
                "marker": {"color": "var:phase-retrieve"},
            }
        ],
        "layout": {
            "height": 60 + 22 * len(names),
            "bargap": 0.3,
            "margin": {"l": 90, "r": 20, "t": 8, "b": 36},
            "showlegend": False,
            "dragmode": False,
            "xaxis": {"title": {"text": "cosine of the questions' last hidden states"}, "range": [0, 1]},
            "yaxis": {"type": "category", "autorange": "reversed"},
        },
    }


PANEL = RoundPanel(
    id="toolspec", title="The call and its schema", tab="Tool call", reads=("toolspec",), view=round_view
)

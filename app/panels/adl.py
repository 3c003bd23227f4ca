"""DiffuSpec's adaptive draft length over the rounds: asked, generated, accepted, averages (arXiv 2510.02358 §4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, Unpack

from app.panels.drawing import Figure, Layout, Trace
from app.panels.labels import count
from app.panels.panel import RunPanel
from app.panels.timeline import spent_by_phase
from respec_core.methods.diffuspec.record import ADL
from respec_core.trace.round import Step
from respec_core.trace.schema import Run

Numbered = tuple[int, ADL]  # number from 1


class LengthView(TypedDict):
    """The length controller over the rounds."""

    sentence: str
    figure: Figure


def adl_view(run: Run) -> LengthView | None:
    """Figure and sentence of the length controller; None for runs without one."""
    rounds = [(step.i + 1, adl) for step in run.steps if (adl := step.record(ADL)) is not None]
    if not rounds:
        return None
    said = " ".join(filter(None, [sentence(rounds), time_split(run.steps)]))
    return {"sentence": said, "figure": {**adl_figure(rounds), "alt": said}}


def sentence(rounds: list[Numbered]) -> str:
    """Bounds, growth and the length to come."""
    last = rounds[-1][1]
    grown = sum(adl.grew for _, adl in rounds)
    if last.k_min == last.k_max:
        return f"The length stays at {last.k_max}: the drafter fills no more, and the shortest allowed is as long."
    grew = f"grew in {count(grown, 'round')}" if grown else "never grew: drafts were not taken whole"
    return f"Draft length between {last.k_min} and {last.k_max}; it {grew}; next {last.k_next}."


def time_split(steps: Sequence[Step]) -> str:
    """Shares of drafting, search and the target in the run's time so far; empty where nothing was measured."""
    spent = spent_by_phase(steps)
    total = sum(spent.values())
    if not total:
        return ""
    draft, search, verify = (spent.get(phase, 0.0) / total for phase in ("draft", "search", "verify"))
    return f"Of the time, {draft:.0%} went to drafting, {search:.0%} to the search, {verify:.0%} to the target."


def adl_figure(rounds: list[Numbered]) -> Figure:
    """Steps for k, marks for what was generated and accepted, dashed lines for the averages, ▲ where k grew."""
    at = [i for i, _ in rounds]
    top = max(max(adl.k_t, adl.k_next, adl.L_gen) for _, adl in rounds)

    def trace(name: str, y: Sequence[float], mode: str, /, **look: Unpack[Trace]) -> Trace:
        return {
            **look,
            "type": "scatter",
            "name": name,
            "mode": mode,
            "x": at,
            "y": y,
            "customdata": at,
            "hoverinfo": "none",
        }

    drawn = [adl for _, adl in rounds]
    grew = [i for i, adl in rounds if adl.grew]
    data: list[Trace] = [
        trace("k asked", [a.k_t for a in drawn], "lines", line={"color": "var:ink", "width": 2, "shape": "hvh"}),
        trace(
            "generated",
            [a.L_gen for a in drawn],
            "markers",
            marker={"symbol": "triangle-up-open", "size": 8, "color": "var:phase-retrieve", "line": {"width": 1.5}},
        ),
        trace(
            "its average",
            [a.ema_gen for a in drawn],
            "lines",
            line={"color": "var:phase-retrieve", "width": 1.8, "dash": "dash"},
        ),
        trace("accepted", [a.L_acc for a in drawn], "markers", marker={"size": 7, "color": "var:accepted"}),
        trace(
            "its average",
            [a.ema_acc for a in drawn],
            "lines",
            line={"color": "var:accepted", "width": 1.8, "dash": "dash"},
        ),
        {
            "type": "scatter",
            "name": "grew",
            "mode": "text",
            "x": grew,
            "y": [top * 1.12] * len(grew),
            "text": ["▲"] * len(grew),
            "textfont": {"size": 12, "color": "var:accent"},
            "hoverinfo": "skip",
            "showlegend": False,
            "cliponaxis": False,
        },
    ]
    return {"data": data, "layout": _layout(rounds, top)}


def _layout(rounds: list[Numbered], top: float) -> Layout:
    return {
        "height": 232,
        "margin": {"l": 44, "r": 12, "t": 30, "b": 36},
        "xaxis": {
            "title": {"text": "round"},
            "range": [min(0.5, rounds[0][0] - 0.5), max(rounds[-1][0], 8) + 0.5],
            "tickformat": "d",
            "zeroline": False,
        },
        "yaxis": {"title": {"text": "tokens"}, "range": [-0.06 * top, top * 1.22], "fixedrange": True},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
        "showlegend": True,
        "dragmode": "pan",
        "shapes": [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": bound,
                "y1": bound,
                "layer": "below",
                "line": {"color": "var:faint", "width": 1, "dash": "dot"},
            }
            for bound in sorted({rounds[-1][1].k_min, rounds[-1][1].k_max})
        ],
    }


PANEL = RunPanel(
    id="adl", title="Draft length", tab="Length", reads=("adl",), view=adl_view, live=True, module="draft_length"
)

"""Acceptance by depth in the draft: of the drafts that got there, and of all that were so deep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from app.panels import JsonOf, RecordJson
from app.panels.drawing import Figure, Layout, Trace
from respec_core.trace.positions import by_position
from respec_core.trace.schema import PositionAcceptance, Run

MAX_DEPTHS = 64
LABELLED = 12  # depths whose bars have room for their numbers


class PositionsView(TypedDict):
    """The figure, and its table with the counts."""

    figure: Figure
    depths: list[Annotated[RecordJson, JsonOf(PositionAcceptance)]]


def positions_view(run: Run) -> PositionsView | None:
    """The figure and its table with the counts; None where no draft was judged."""
    positions = by_position(run.steps)[:MAX_DEPTHS]
    if not any(position.judged for position in positions):
        return None
    return {"figure": depth_figure(positions), "depths": [position.model_dump() for position in positions]}


def depth_figure(positions: Sequence[PositionAcceptance]) -> Figure:
    """Bars: conditional; diamonds: unconditional. A depth never judged has no bar."""
    depths = [position.depth for position in positions]
    conditional = [position.conditional for position in positions]
    data: list[Trace] = [
        {
            "type": "bar",
            "x": depths,
            "y": conditional,
            "width": 0.7,
            "text": [percent(rate) for rate in conditional] if len(depths) <= LABELLED else None,
            "textposition": "outside",
            "textangle": 0,
            "textfont": {"size": 12, "color": "var:muted"},
            "cliponaxis": False,
            "customdata": depths,
            "hoverinfo": "none",
            "marker": {"color": "var:accepted", "opacity": 0.85},
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": depths,
            "y": [position.unconditional for position in positions],
            "cliponaxis": False,
            "customdata": depths,
            "hoverinfo": "none",
            "marker": {
                "symbol": "diamond",
                "size": 8,
                "color": "var:surface",
                "line": {"width": 1.5, "color": "var:ink"},
            },
        },
    ]
    layout: Layout = {
        "height": 250,
        "margin": {"l": 52, "r": 14, "t": 8, "b": 38},
        "xaxis": {
            "title": {"text": "depth in the draft"},
            "range": [0.4, max(len(depths), 4) + 0.6],
            "dtick": 1 if len(depths) <= LABELLED else 5,
            "fixedrange": True,
            "showgrid": False,
        },
        "yaxis": {
            "title": {"text": "share accepted"},
            "range": [0, 1.15],
            "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1.0],
            "ticktext": ["0%", "20%", "40%", "60%", "80%", "100%"],
            "fixedrange": True,
        },
        "showlegend": False,
        "dragmode": False,
    }
    return {"data": data, "layout": layout, "alt": f"Acceptance by depth: {_spoken(positions[:LABELLED])}."}


def percent(rate: float | None) -> str:
    """``64%``, nothing where there is no rate."""
    return "" if rate is None else f"{rate:.0%}"


def _spoken(positions: Sequence[PositionAcceptance]) -> str:
    return ", ".join(
        f"depth {p.depth} {'never judged' if p.conditional is None else f'{p.conditional:.0%} of {p.judged}'}, "
        f"{p.unconditional:.0%} of all {p.drafted}"
        for p in positions
    )

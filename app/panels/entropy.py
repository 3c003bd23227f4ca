"""Target entropy over position, in nats; the trigger's threshold where a round had one; where it fired, what it led to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from app.panels.drawing import AddedMarks, Figure, Layout, Trace
from respec_core.trace.placing import PlacedRound, placed_rounds
from respec_core.trace.rates import TRIGGERS, verified_retrieved
from respec_core.trace.schema import Run

BARS, THETA, TRIGGERED, COPIED = 0, 1, 2, 3  # order of the traces
LAMPS, COPIES = -0.2, -0.42  # where a round's marks stand below its first bar


def entropy_points(round: PlacedRound) -> list[AddedMarks]:
    """What a round adds to each trace of :func:`entropy_figure`."""
    at = list(range(round.start, round.end))
    theta = round.step.decision.theta
    bars: AddedMarks = {"x": at, "y": [t.entropy for t in round.tokens], "customdata": at}
    line: AddedMarks = {"x": [], "y": []}
    if theta is not None and at:
        line = {"x": [at[0] - 0.5, at[-1] + 0.5], "y": [theta, theta]}
    step, first = round.step, at[:1]
    fired = first if step.decision.triggered and step.decision.rule in TRIGGERS else []
    copied = first if verified_retrieved(step) else []
    return [bars, line, {"x": fired, "y": [LAMPS] * len(fired)}, {"x": copied, "y": [COPIES] * len(copied)}]


def entropy_base() -> Figure:
    """The empty figure that rounds are appended to."""
    shared: Trace = {"type": "scatter", "hoverinfo": "skip"}
    data: list[Trace] = [
        {
            "type": "bar",
            "x": [],
            "y": [],
            "customdata": [],
            "hoverinfo": "none",
            "width": 0.86,
            "marker": {"color": "scale:entropy", "line": {"width": 0}},
        },
        shared
        | {
            "x": [],
            "y": [],
            "mode": "lines",
            "line": {"color": "var:rejected-ink", "width": 1.5, "dash": "dash", "shape": "hv"},
        },
        shared
        | {
            "x": [],
            "y": [],
            "mode": "markers",
            "marker": {"symbol": "circle-open", "size": 7, "color": "var:accent", "line": {"width": 1.5}},
        },
        shared
        | {
            "x": [],
            "y": [],
            "mode": "markers",
            "marker": {"symbol": "diamond", "size": 7, "color": "var:phase-retrieve"},
        },
    ]
    layout: Layout = {
        "height": 176,
        "margin": {"l": 44, "r": 12, "t": 8, "b": 34},
        "xaxis": {
            "title": {"text": "output position"},
            "zeroline": False,
            "autorangeoptions": {"include": [-0.7, 23.7]},
            "minallowed": -0.7,
        },
        "yaxis": {
            "title": {"text": "entropy (nats)"},
            "autorangeoptions": {"include": [-0.55, 4.0]},
            "zeroline": True,
            "fixedrange": True,
        },
        "bargap": 0.1,
        "showlegend": False,
        "dragmode": "zoom",
    }
    return {
        "data": data,
        "layout": layout,
        "alt": "Target entropy at each output position, in nats; below, where a trigger fired and where copies were verified.",
    }


def entropy_figure(run: Run) -> Figure:
    """The whole run's figure."""
    figure = entropy_base()
    for round in placed_rounds(run):
        append(figure, entropy_points(round))
    return figure


def append(figure: Figure, points: Sequence[AddedMarks]) -> None:
    """Extend the figure's arrays; the browser does the same with what it is sent."""
    for trace, added in zip(figure["data"], points, strict=True):
        grown = cast("dict[str, list[object]]", trace)  # both are made here, of lists
        for name, values in cast("dict[str, Sequence[object]]", added).items():
            grown[name].extend(values)

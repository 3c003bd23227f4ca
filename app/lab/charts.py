"""The Lab's drawings: curves with their bands, dots with their intervals, grids of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from app.panels.drawing import Annotation, Axis, DrawnShape, Figure, Layout, Place, Stroke, Trace
from respec_core.bench.intervals import Interval

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
CLOSEST = 0.075  # of the axis, between two labels at the curves' ends
Curve = Sequence[float | None]


def axis(title: str, /, **more: Unpack[Axis]) -> Axis:
    """An axis that keeps its range."""
    return {**more, "title": {"text": title}, "fixedrange": True}


def line(x: Sequence[Place], y: Sequence[Place], color: str, width: float, /, **more: Unpack[Trace]) -> Trace:
    """A line that says nothing on hover."""
    stroke: Stroke = {"color": color, "width": width, **more.get("line", {})}
    return {**more, "type": "scatter", "mode": "lines", "x": [*x], "y": [*y], "line": stroke, "hoverinfo": "skip"}


def curves(
    x: Sequence[float],
    named: Mapping[str, Curve],
    whole: Curve,
    band: Sequence[Interval | None],
    ticks: Sequence[str] | None,
    titles: tuple[str, str],
    notes: Sequence[str],
    even: float | None = None,
) -> Figure:
    """One figure over a knob: all texts with their interval, and each kind.

    Args:
        named: by kind; ``whole`` of all texts, with its ``band``.
        ticks: names of the places on the axis, where these are no numbers.
        titles: of the axes.
        notes: what is said on hover, one a place.
        even: where plain decoding is.
    """
    sure = [(at, interval) for at, interval in zip(x, band, strict=True) if interval]
    data: list[Trace] = []
    if sure:
        around = [at for at, _ in sure], [at for at, _ in reversed(sure)]
        edge = [i[1] for _, i in sure], [i[0] for _, i in reversed(sure)]
        data.append(
            line([*around[0], *around[1]], [*edge[0], *edge[1]], "var:band", 0, fill="toself", fillcolor="var:band")
        )
    for i, curve in enumerate(named.values()):
        data.append(line(x, curve, "var:muted", 1.2, line={"dash": DASHES[i % len(DASHES)]}))
    dots: Trace = {"mode": "lines+markers", "marker": {"color": "var:accent", "size": 5}, "hoverinfo": "none"}
    data.append(line(x, whole, "var:accent", 2.4) | dots | {"customdata": [*notes]})
    seen = [y for curve in (*named.values(), whole) for y in curve if y is not None]
    seen += [end for _, interval in sure for end in interval] + ([even] if even is not None else [])
    low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
    low, high = low - 0.05 * (high - low or 1), high + 0.08 * (high - low or 1)
    ends = {name: last for name, curve in {**named, "all": whole}.items() if (last := _last(curve)) is not None}
    layout: Layout = {
        "height": 300,
        "margin": {"l": 52, "r": 82, "t": 8, "b": 44},
        "xaxis": {**axis(titles[0], showgrid=False, zeroline=False), **(_named_ticks(x, ticks) if ticks else {})},
        "yaxis": axis(titles[1], range=[low, high], zeroline=False),
        "showlegend": False,
        "dragmode": False,
        "annotations": _labels(ends, (low, high)),
        "shapes": [] if even is None else [level(even)],
    }
    return {"data": data, "layout": layout}


def _last(curve: Curve) -> float | None:
    return next((y for y in reversed(curve) if y is not None), None)


def _named_ticks(x: Sequence[float], ticks: Sequence[str]) -> Axis:
    return {"tickvals": [*x], "ticktext": [*ticks], "range": [-0.3, len(ticks) - 0.7]}


def level(y: float) -> DrawnShape:
    """A dotted line across."""
    place: DrawnShape = {"xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": y, "y1": y}
    return {**place, "type": "line", "line": {"color": "var:faint", "width": 1, "dash": "dot"}}


def _labels(ends: Mapping[str, float], reach: tuple[float, float]) -> list[Annotation]:
    """Names behind the curves' ends, far enough from each other to be read."""
    low, high = reach
    apart, placed = CLOSEST * (high - low), list[tuple[str, float]]()
    for name, y in sorted(ends.items(), key=lambda end: end[1]):
        placed.append((name, max(y, placed[-1][1] + apart) if placed else y))
    over = max(0.0, placed[-1][1] - high) if placed else 0.0
    return [
        {
            "xref": "paper",
            "yref": "y",
            "x": 1.01,
            "y": y - over,
            "xanchor": "left",
            "showarrow": False,
            "text": name,
            "font": {"size": 12, "color": "var:accent" if name == "all" else "var:muted"},
        }
        for name, y in placed
    ]


def dots(
    names: Sequence[str], values: Sequence[float], intervals: Sequence[Interval | None], title: str, even: float | None
) -> Figure:
    """A figure of every kind with its interval, one a line; the last is all of them."""
    rows = [*range(len(names))]
    data: list[Trace] = [
        line(
            [v for i in intervals for v in (*(i or (None, None)), None)],
            [r for r in rows for _ in range(3)],
            "var:muted",
            2,
        ),
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [*values],
            "y": rows,
            "text": [f"{value:.2f}" for value in values],
            "textposition": "top center",
            "textfont": {"size": 12, "color": "var:ink"},
            "marker": {"size": 9, "color": ["var:accent" if name == "all" else "var:ink" for name in names]},
            "hoverinfo": "skip",
            "cliponaxis": False,
        },
    ]
    across: DrawnShape = {
        "xref": "x",
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": "var:faint", "width": 1, "dash": "dot"},
    }
    layout: Layout = {
        "height": 34 * len(names) + 62,
        "margin": {"l": 92, "r": 18, "t": 14, "b": 40},
        "xaxis": axis(title, zeroline=False),
        "yaxis": axis(
            "", tickvals=rows, ticktext=[*names], range=[len(names) - 0.5, -0.7], showgrid=False, zeroline=False
        ),
        "showlegend": False,
        "dragmode": False,
        "shapes": [] if even is None else [{**across, "type": "line", "x0": even, "x1": even}],
    }
    return {"data": data, "layout": layout}


def grid(
    z: Sequence[Sequence[float | None]],
    x: Sequence[str],
    y: Sequence[str],
    titles: tuple[str, str],
    texts: Sequence[Sequence[str]],
    notes: Sequence[Sequence[str]],
) -> Figure:
    """Cells by colour, the higher the brighter, each with its text; the first row is below."""
    seen = [value for row in z for value in row if value is not None]
    low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
    middle = (low + high) / 2
    cells = [(i, j) for j in range(len(y)) for i in range(len(x)) if z[j][i] is not None]
    data: list[Trace] = [
        {
            "type": "heatmap",
            "z": [[*row] for row in z],
            "zmin": low,
            "zmax": high if high > low else low + 1,
            "colorscale": "scale:cividis",
            "showscale": False,
            "hoverinfo": "skip",
            "xgap": 2,
            "ygap": 2,
        },
        {
            "type": "scatter",
            "mode": "text",
            "x": [i for i, _ in cells],
            "y": [j for _, j in cells],
            "text": [texts[j][i] for i, j in cells],
            "textfont": {"size": 12, "color": ["#ffffff" if (z[j][i] or 0) < middle else "#101418" for i, j in cells]},
            "customdata": [notes[j][i] for i, j in cells],
            "hoverinfo": "none",
        },
    ]
    layout: Layout = {
        "height": 30 * len(y) + 76,
        "margin": {"l": 44 + 7 * max(map(len, y), default=0), "r": 12, "t": 8, "b": 46},
        "xaxis": axis(
            titles[0],
            tickvals=[*range(len(x))],
            ticktext=[*x],
            tickangle=0,
            range=[-0.5, len(x) - 0.5],
            showgrid=False,
            zeroline=False,
        ),
        "yaxis": axis(
            titles[1],
            tickvals=[*range(len(y))],
            ticktext=[*y],
            range=[-0.5, len(y) - 0.5],
            showgrid=False,
            zeroline=False,
        ),
        "showlegend": False,
        "dragmode": False,
    }
    return {"data": data, "layout": layout, "min_width": 32 * len(x) + 74}

"""Does the drafter know when it is right? Its confidence against what the target accepted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypedDict

from app.panels.drawing import Axis, Figure, Layout, Trace
from app.panels.labels import count
from respec_core.trace.round import ACCEPTS
from respec_core.trace.schema import Run

BINS = 10
FEW = 5  # nodes: below this a bin says little and is drawn pale
ENOUGH = 50  # judged nodes for a verdict
CLOSE = 0.1  # confidence and acceptance this near each other are called close
JUDGED = dict.fromkeys(ACCEPTS, True) | {"rejected": False}
Z = 1.96  # 95 %


@dataclass(frozen=True)
class Bin:
    """Judged nodes whose confidence lies in ``[low, high)``; the last bin includes 1."""

    low: float
    high: float
    nodes: int
    accepted: int
    confidence: float  # their mean

    @property
    def rate(self) -> float:
        """Share accepted."""
        return self.accepted / self.nodes

    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the rate."""
        return wilson(self.accepted, self.nodes)


def wilson(accepted: int, n: int) -> tuple[float, float]:
    """95 % interval of the rate ``accepted`` ÷ ``n``."""
    p = accepted / n
    centre = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


class BinRow(TypedDict):
    """A row of the table."""

    range: str
    low: float
    nodes: int
    accepted: int
    rate: float
    confidence: float


class CalibrationView(TypedDict):
    """A verdict, the figure, and its table."""

    sentence: str
    reliability: Figure
    bins: list[BinRow]


def calibration_view(run: Run) -> CalibrationView | None:
    """The figure, a verdict and the rows of its table; None where no judged node has a confidence."""
    bins = confidence_bins(run)
    if not bins:
        return None
    said = verdict(bins)
    return {
        "sentence": said,
        "reliability": {**reliability_figure(bins), "alt": said},
        "bins": [
            {
                "range": f"{b.low:.1f} to {b.high:.1f}",
                "low": b.low,
                "nodes": b.nodes,
                "accepted": b.accepted,
                "rate": b.rate,
                "confidence": b.confidence,
            }
            for b in bins
        ],
    }


def confidence_bins(run: Run) -> list[Bin]:
    """Bins that hold a node; only nodes that the target judged count."""
    nodes, accepted, total = [0] * BINS, [0] * BINS, [0.0] * BINS
    for p, good in judged(run):
        at = min(BINS - 1, int(p * BINS))
        nodes[at] += 1
        accepted[at] += good
        total[at] += p
    return [Bin(i / BINS, (i + 1) / BINS, nodes[i], accepted[i], total[i] / nodes[i]) for i in range(BINS) if nodes[i]]


def judged(run: Run) -> Iterator[tuple[float, bool]]:
    """Confidence and verdict of every judged node."""
    for step in run.steps:
        for node in step.trees.final:
            if node.draft_p is not None and node.outcome in JUDGED:
                yield node.draft_p, JUDGED[node.outcome]


def verdict(bins: list[Bin]) -> str:
    """How far confidence and acceptance lie apart, and, as far as the counts carry it, what that says."""
    n, accepted = sum(b.nodes for b in bins), sum(b.accepted for b in bins)
    sure = sum(b.confidence * b.nodes for b in bins) / n
    error = sum(abs(b.confidence - b.rate) * b.nodes for b in bins) / n
    return (
        f"{count(n, 'judged node')}: {sure:.0%} confident on average, {accepted} accepted ({accepted / n:.0%}): "
        f"{_judgement(sure, accepted, n, error)}. Mean distance from the diagonal: {error:.2f}."
    )


def _judgement(sure: float, accepted: int, n: int, error: float) -> str:
    """No verdict that the interval of the rate, or the bins one by one, do not bear out."""
    low, high = wilson(accepted, n)
    if n < ENOUGH:
        return f"too few for a verdict, which takes {ENOUGH}"
    if not low <= sure <= high:
        return "too sure of itself" if sure > high else "surer than it says"
    if max(sure - low, high - sure) > CLOSE:
        return f"the 95 % interval of what is accepted, {low:.0%} to {high:.0%}, is too wide for a verdict"
    if error > CLOSE:
        return "right on average, not at each confidence"
    return "close to what was accepted"


def reliability_figure(bins: list[Bin]) -> Figure:
    """Bars: share accepted; line: where they would end if confidence were exact."""
    spans = [b.interval() for b in bins]
    data: list[Trace] = [
        {
            "type": "bar",
            "x": [(b.low + b.high) / 2 for b in bins],
            "y": [b.rate for b in bins],
            "width": 0.092,
            "customdata": list(range(len(bins))),
            "hoverinfo": "none",
            "marker": {
                "color": "var:accepted",
                "opacity": [0.35 if b.nodes < FEW else 0.85 for b in bins],
                "pattern": {
                    "shape": ["/" if b.nodes < FEW else "" for b in bins],
                    "fillmode": "replace",
                    "solidity": 0.4,
                },
                "line": {"width": 1, "color": "var:accepted"},
            },
            "error_y": {
                "type": "data",
                "array": [high - b.rate for b, (_, high) in zip(bins, spans, strict=True)],
                "arrayminus": [b.rate - low for b, (low, _) in zip(bins, spans, strict=True)],
                "color": "var:muted",
                "thickness": 1,
                "width": 3,
            },
        },
        {
            "type": "scatter",
            "mode": "lines",
            "x": [0, 1],
            "y": [0, 1],
            "hoverinfo": "skip",
            "line": {"color": "var:rejected-ink", "width": 1.5, "dash": "dash"},
        },
        {
            "type": "scatter",
            "mode": "text",
            "x": [(b.low + b.high) / 2 for b in bins],
            "y": [1.08] * len(bins),
            "text": [str(b.nodes) for b in bins],
            "textfont": {"size": 12, "color": "var:muted"},
            "hoverinfo": "skip",
            "cliponaxis": False,
        },
    ]
    tenths = [i / 5 for i in range(6)]
    axis: Axis = {"tickvals": tenths, "ticktext": [f"{t:.0%}" for t in tenths], "fixedrange": True, "zeroline": False}
    layout: Layout = {
        "height": 250,
        "margin": {"l": 52, "r": 14, "t": 8, "b": 38},
        "xaxis": {**axis, "title": {"text": "the drafter's confidence"}, "range": [0, 1.01]},
        "yaxis": {**axis, "title": {"text": "share accepted"}, "range": [0, 1.15]},
        "showlegend": False,
        "dragmode": False,
    }
    return {"data": data, "layout": layout}

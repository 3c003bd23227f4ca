"""ReSpec's *when*: window means H_k, costs C_k with their minimum, and the threshold (arXiv 2511.01282)."""

from __future__ import annotations

from typing import TypedDict

from app.panels.drawing import DrawnShape, Figure, Layout, Trace
from respec_core.trace.round import Decision


class TriggerView(TypedDict):
    """A lamp, the comparison in a sentence, and its figure."""

    lit: bool
    sentence: str
    figure: Figure


def trigger_view(decision: Decision) -> TriggerView | None:
    """Lamp, sentence and figure of a round's trigger; None for rounds without one."""
    if decision.rule != "entropy" or not decision.H:
        return None
    return {"lit": decision.triggered, "sentence": sentence(decision), "figure": trigger_figure(decision)}


def sentence(decision: Decision) -> str:
    """The comparison that decided, with its numbers."""
    if decision.k_star is None:
        return decision.reason
    h = decision.H[decision.k_star - 1]
    if decision.theta is None:
        return (
            f"k* = {decision.k_star}: H = {h:.2f} {decision.unit}, the evidence for what was weighed: {decision.reason}"
        )
    verdict = "≤" if decision.triggered else ">"
    outcome = "low entropy, predictable text: retrieve" if decision.triggered else "too uncertain to retrieve"
    return f"k* = {decision.k_star}: H = {h:.2f} {verdict} θ = {decision.theta:.2f} {decision.unit}; {outcome}"


def trigger_figure(decision: Decision) -> Figure:
    """Bars H_k, markers C_k with the minimum filled, dashed line θ."""
    windows = [f"k = {k}" for k in range(1, len(decision.H) + 1)]
    best = (decision.k_star or 0) - 1
    data: list[Trace] = [
        {
            "type": "bar",
            "x": windows,
            "y": decision.H,
            "hoverinfo": "none",
            "customdata": [*range(1, len(windows) + 1)],
            "text": [f"H {h:.2f}" for h in decision.H],
            "textposition": "auto",
            "textangle": 0,
            "constraintext": "none",
            "insidetextfont": {"color": "var:on-phase", "size": 12},
            "outsidetextfont": {"color": "var:muted", "size": 12},
            "cliponaxis": False,
            "marker": {"color": ["var:accent" if i == best else "var:phase-quiet" for i in range(len(windows))]},
            "width": 0.6,
        }
    ]
    if decision.C:
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers+text",
                "x": windows,
                "y": decision.C,
                "hoverinfo": "none",
                "text": [f"{'★ ' if i == best else ''}C {c:.2f}" for i, c in enumerate(decision.C)],
                "textposition": "top center",
                "textfont": {"color": "var:ink", "size": 12},
                "line": {"color": "var:muted", "width": 1, "dash": "dot"},
                "marker": {
                    "symbol": ["star" if i == best else "circle-open" for i in range(len(windows))],
                    "size": [12 if i == best else 8 for i in range(len(windows))],
                    "color": "var:ink",
                },
            }
        )
    return {"data": data, "layout": _layout(decision), "alt": sentence(decision)}


def _layout(decision: Decision) -> Layout:
    top = max([*decision.H, *decision.C, decision.theta or 0.0]) * 1.22
    layout: Layout = {
        "height": 200,
        "margin": {"l": 44, "r": 56, "t": 8, "b": 26},
        "yaxis": {"title": {"text": decision.unit}, "range": [0, top], "fixedrange": True},
        "xaxis": {"fixedrange": True},
        "showlegend": False,
        "shapes": [],
    }
    if decision.theta is not None:
        across: DrawnShape = {"xref": "paper", "x0": 0, "x1": 1, "y0": decision.theta, "y1": decision.theta}
        layout["shapes"] = [
            {**across, "type": "line", "line": {"color": "var:rejected-ink", "width": 1.5, "dash": "dash"}}
        ]
        layout["annotations"] = [
            {
                "xref": "paper", "x": 1.02, "xanchor": "left", "y": decision.theta, "yanchor": "middle",
                "text": f"θ {decision.theta:g}", "showarrow": False, "font": {"size": 12, "color": "var:rejected-ink"},
            }
        ]  # fmt: skip
    return layout

"""``figure``: a drawing of a recorded run, the same as Live's panels have, or what its forwards cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypedDict

from app.learn.recorded import forwards, recorded_costs, telling_round
from app.learn.widget import Fields, Runs, Widget
from app.panels import Figure
from app.panels.calibration import calibration_view
from app.panels.entropy import entropy_figure
from app.panels.lattice import lattice_view
from app.panels.timeline import timeline_figure
from app.panels.trigger import trigger_view
from respec_core.errors import ReSpecError, quoted


class FigureFields(Fields):
    """Which drawing, of which run and round."""

    of: str
    trace: str = ""
    round: int = 0


class FigureView(TypedDict):
    """A drawing and a sentence about it."""

    kind: Literal["figure"]
    figure: Figure
    sentence: str


Drawn = tuple[Figure, str]


def costs(fields: FigureFields, runs: Runs) -> Drawn:
    """Every recorded forward by the tokens it read, and their medians."""
    found, curve = forwards(), recorded_costs()
    sizes = [size for size, _ in curve.points]
    figure: Figure = {
        "data": [
            {
                "type": "scatter",
                "mode": "markers",
                "x": [size for size, _ in found],
                "y": [ms for _, ms in found],
                "hoverinfo": "skip",
                "marker": {"color": "var:phase-quiet", "size": 5, "opacity": 0.6},
            },
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": sizes,
                "y": [curve.ms(size) for size in sizes],
                "hoverinfo": "skip",
                "line": {"color": "var:accepted", "width": 2.5},
                "marker": {"color": "var:accepted", "size": 8},
            },
            {
                "type": "scatter",
                "mode": "lines",
                "x": [1, 6],
                "y": [curve.ms(1), 6 * curve.ms(1)],
                "hoverinfo": "skip",
                "line": {"color": "var:rejected-ink", "width": 1.5, "dash": "dash"},
            },
        ],
        "layout": {
            "height": 320,
            "margin": {"l": 56, "r": 16, "t": 10, "b": 44},
            "xaxis": {"title": {"text": "tokens that one forward reads"}, "fixedrange": True, "range": [0, 64]},
            "yaxis": {"title": {"text": "milliseconds"}, "fixedrange": True, "rangemode": "tozero"},
            "showlegend": False,
            "dragmode": False,
        },
    }
    said = (
        f"{len(found)} recorded forwards of the embedded model. Line: medians; dashed: if every token cost as much as the first. "
        f"Reading 1 token took {curve.ms(1):.0f} ms, reading {sizes[-1]} took {curve.ms(sizes[-1]):.0f} ms."
    )
    return figure, said


def calibration(fields: FigureFields, runs: Runs) -> Drawn:
    """The drafter's confidence against what was accepted."""
    view = calibration_view(runs(fields.trace))
    if view is None:
        raise ReSpecError("No judged node of this run has a confidence: name another trace.")
    return view["reliability"], view["sentence"]


def trigger(fields: FigureFields, runs: Runs) -> Drawn:
    """A round's entropy windows and their costs."""
    view = trigger_view(telling_round(runs(fields.trace), fields.round).step.decision)
    if view is None:
        raise ReSpecError("This round has no entropy trigger: name another.")
    return view["figure"], view["sentence"]


def entropy(fields: FigureFields, runs: Runs) -> Drawn:
    """The target's entropy over the whole text."""
    return entropy_figure(runs(fields.trace)), "The target's entropy before each token, in nats."


def timeline(fields: FigureFields, runs: Runs) -> Drawn:
    """Where the time went."""
    return timeline_figure(runs(fields.trace)), "Every round by what it did; plain decoding on the same axis."


def lattice(fields: FigureFields, runs: Runs) -> Drawn:
    """What a diffusion model offered in a round, and the path that was searched."""
    placed = telling_round(runs(fields.trace), fields.round)
    view = lattice_view(placed.step, placed.tokens)
    if view is None:
        raise ReSpecError("This round has no lattice: name a trace of DiffuSpec.")
    return view["figures"]["map"], view["sentence"]


FIGURES: dict[str, Callable[[FigureFields, Runs], Drawn]] = {
    "costs": costs,
    "calibration": calibration,
    "trigger": trigger,
    "entropy": entropy,
    "timeline": timeline,
    "lattice": lattice,
}


def figure_view(fields: FigureFields, runs: Runs) -> FigureView:
    """The drawing.

    Raises:
        ReSpecError: for an unknown one, or a run that has none of it.
    """
    if fields.of not in FIGURES:
        raise ReSpecError(f"There is no figure {quoted(fields.of)}; there are: {', '.join(FIGURES)}.")
    figure, sentence = FIGURES[fields.of](fields, runs)
    return {"kind": "figure", "figure": figure, "sentence": sentence}


WIDGET = Widget("figure", FigureFields, figure_view)

"""``figure``: a drawing of a recorded run, the same as Live's panels have, or what its forwards cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple, TypedDict

from app.learn.recorded import forwards, precision, recorded_costs, showcase_runs, telling_round
from app.learn.widget import Fields, Runs, Widget
from app.panels import JsonOf, RecordJson
from app.panels.calibration import calibration_view
from app.panels.drawing import Figure
from app.panels.entropy import entropy_figure
from app.panels.lattice import lattice_view
from app.panels.lattice_paths import CellVerdict
from app.panels.lineages import lineages_view
from app.panels.panel import Table
from app.panels.timeline import timeline_figure
from app.panels.trigger import trigger_view
from respec_core.errors import ReSpecError, quoted
from respec_core.methods.diffuspec.record import Lattice
from respec_core.trace.round import Decision
from respec_core.trace.schema import Run

WINDOWS = 3  # of a round that shows them all
TOLD = ("name", "rounds", "accepted", "score")  # of a lineage
QUOTED = 6  # words before it


class FigureFields(Fields):
    """Which drawing, of which run and round.

    Attributes:
        theta, fires: of a trigger: the run's text replayed with a gate at θ, and which of its rounds is shown.
    """

    of: str
    trace: str = ""
    round: int = 0
    theta: float | None = None
    fires: bool = True


class DrawnLattice(TypedDict):
    """What the page draws a lattice from."""

    lattice: Annotated[RecordJson, JsonOf(Lattice)]
    verdict: CellVerdict


class FigureView(TypedDict):
    """A drawing, or the lattice that it is made of; a sentence about it, and a table where there is one."""

    kind: Literal["figure"]
    figure: Figure | DrawnLattice
    sentence: str
    table: Table | None


class Drawn(NamedTuple):
    """What is made of a run."""

    figure: Figure | DrawnLattice
    sentence: str
    table: Table | None = None


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
    kinds = sorted({precision(run) for run in showcase_runs()})
    said = (
        f"{len(found)} recorded forwards of the embedded model in {' and '.join(kinds)}. Line: medians; dashed: if every token cost as much as the first. "
        f"Reading 1 token took {curve.ms(1):.0f} ms, reading {sizes[-1]} took {curve.ms(sizes[-1]):.0f} ms."
    )
    return Drawn(figure, said)


def calibration(fields: FigureFields, runs: Runs) -> Drawn:
    """The drafter's confidence against what was accepted."""
    view = calibration_view(runs(fields.trace))
    if view is None:
        raise ReSpecError("No judged node of this run has a confidence: name another trace.")
    return Drawn(view["reliability"], view["sentence"])


def trigger(fields: FigureFields, runs: Runs) -> Drawn:
    """A round's entropy windows and their costs, and θ where a gate compares with it."""
    run = runs(fields.trace)
    place, decision = _gate(run, fields) if fields.theta is not None else ("", _decision(run, fields.round))
    view = trigger_view(decision)
    if view is None:
        raise ReSpecError("This round has no entropy trigger: name another.")
    return Drawn(view["figure"], place + view["sentence"])


def _decision(run: Run, number: int) -> Decision:
    return telling_round(run, number).step.decision


def _gate(run: Run, fields: FigureFields) -> tuple[str, Decision]:
    """A round of the replay with all windows, one that chose a longer window where there is one; and where it stands."""
    from app.learn.simulator import gated, stage_of  # torch comes with it

    rounds = gated(run, stage_of(run), fields.theta or 0.0).rounds
    found = [one for one in rounds if one.decision.triggered is fields.fires and len(one.decision.H) > WINDOWS - 1]
    if not found:
        raise ReSpecError(
            f"At θ = {fields.theta:g} no round {'fires' if fields.fires else 'stays silent'}: name another."
        )
    best = max(found, key=lambda one: ((one.decision.k_star or 0) > 1, -one.position))
    words = "".join(token.text for token in run.tokens[: best.position]).split()[-QUOTED:]
    return f"Behind ‘{' '.join(words)}’: ", best.decision


def lineages(fields: FigureFields, runs: Runs) -> Drawn:
    """The scores of copies over a run, by lineage."""
    view = lineages_view(runs(fields.trace))
    if view is None:
        raise ReSpecError("No copy of this run was scored by lineage: name a trace of ReSpec.")
    [figure] = view["figures"].values()
    table = view["table"]
    columns = [column for column in table["columns"] if column["key"] in TOLD]
    return Drawn(figure, view["sentence"], {"columns": columns, "rows": table["rows"]})


def entropy(fields: FigureFields, runs: Runs) -> Drawn:
    """The target's entropy over the whole text."""
    return Drawn(entropy_figure(runs(fields.trace)), "The target's entropy before each token, in nats.")


def timeline(fields: FigureFields, runs: Runs) -> Drawn:
    """Where the time went."""
    return Drawn(timeline_figure(runs(fields.trace)), "Every round by what it did; plain decoding on the same axis.")


def lattice(fields: FigureFields, runs: Runs) -> Drawn:
    """What a diffusion model offered in a round, and the path that was searched."""
    placed = telling_round(runs(fields.trace), fields.round)
    view = lattice_view(placed.step, placed.tokens)
    if view is None:
        raise ReSpecError("This round has no lattice: name a trace of DiffuSpec.")
    lattice = placed.step.record(Lattice)
    assert lattice is not None
    shown = lattice.model_copy(update={"passes": ()}).model_dump(mode="json")
    return Drawn({"lattice": shown, "verdict": view["verdict"]}, view["sentence"])


FIGURES: dict[str, Callable[[FigureFields, Runs], Drawn]] = {
    "costs": costs,
    "calibration": calibration,
    "trigger": trigger,
    "lineages": lineages,
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
    figure, sentence, table = FIGURES[fields.of](fields, runs)
    return {"kind": "figure", "figure": figure, "sentence": sentence, "table": table}


WIDGET = Widget("figure", FigureFields, figure_view)

"""Two knobs at once: a map of their values, and which of them nothing else beats in passes and time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from time import perf_counter
from typing import TYPE_CHECKING, TypedDict

from app.form import Control
from app.lab.asked import MOST_CELLS, Question, coarse_first, config_of, knob_of, tried
from app.lab.charts import axis, grid
from app.lab.curve import ANSWER_SECONDS
from app.lab.sets import TextSet
from app.panels.drawing import Figure, Layout, Trace
from app.panels.panel import Column, GeneralView, TableRow
from respec_core.errors import ReSpecError
from respec_core.settings.knobs import said

if TYPE_CHECKING:
    from respec_core.lab.sweep import SweepRow


class PairAnswer(TypedDict):
    """``left`` is how many of the cells are still to be computed."""

    left: int
    panel: GeneralView
    front: GeneralView


def pair_answer(asked: Question, among: TextSet, clock: Callable[[], float] = perf_counter) -> PairAnswer:
    """As many cells as are known, some more of them computed.

    Raises:
        ReSpecError: for knobs that have no values to try, or are the same.
    """
    from respec_core.lab.sweep import SweepRow, pareto

    if asked.knob == asked.other:
        raise ReSpecError("A map needs two different knobs.")
    across, up = knob_of(asked.method, asked.knob), knob_of(asked.method, asked.other)
    cells = [*product(tried(up, MOST_CELLS), tried(across, MOST_CELLS))]
    found, refused, until, fresh = dict[tuple[str, str], SweepRow](), 0, clock() + ANSWER_SECONDS, 0
    for at in coarse_first(len(cells)):
        y, x = cells[at]
        values = {asked.knob: x, asked.other: y}
        try:
            config = config_of(among.atlas, asked.method, {**asked.settings, **values})
            if not ((known := among.known(config)) or not fresh or clock() < until):
                continue
            fresh += not known
            row = SweepRow(values, config)
            for one in among.outcomes(config):
                row.total.add(one.tally)
            found[said(x), said(y)] = row
        except ReSpecError:
            refused += 1
    front = pareto([*found.values()])
    left = len(cells) - len(found) - refused
    return {"left": left, "panel": _map(across, up, found, refused), "front": _front(across, up, found, front)}


def _map(across: Control, up: Control, found: dict[tuple[str, str], SweepRow], refused: int) -> GeneralView:
    x, y = ([said(value) for value in tried(knob, MOST_CELLS)] for knob in (across, up))
    titles = (across["label"], up["label"])

    def cells(of: Callable[[SweepRow], float | None]) -> list[list[float | None]]:
        return [[of(found[i, j]) if (i, j) in found else None for i in x] for j in y]

    def figure(z: list[list[float | None]], what: str) -> Figure:
        texts = [["" if value is None else f"{value:.2f}" for value in row] for row in z]
        notes = [
            [f"{titles[0]} {i}, {titles[1]} {j}: {text} {what}" for i, text in zip(x, row, strict=True)]
            for j, row in zip(y, texts, strict=True)
        ]
        return grid(z, x, y, titles, texts, notes)

    figures = {"tokens per pass": figure(cells(lambda row: row.total.mat), "tokens per pass")}
    if any(row.total.ratio for row in found.values()):
        figures["× plain, predicted"] = figure(cells(lambda row: row.total.ratio), "× plain, predicted")
    best = max(found.values(), key=lambda row: row.total.mat, default=None)
    told = f"Most tokens per pass with {_spelt(best, (across, up))}: {best.total.mat:.2f}." if best else ""
    missing = f" {refused} combinations cannot be replayed." if refused else ""
    rows = [_row(row) for row in found.values()]
    return {"sentence": told + missing, "figures": figures, "table": {"columns": _columns(across, up), "rows": rows}}


def _front(
    across: Control, up: Control, found: dict[tuple[str, str], SweepRow], front: Sequence[SweepRow]
) -> GeneralView:
    timed = [row for row in found.values() if row.total.ratio is not None]
    if not timed:
        return {"sentence": "Without a cost curve no time can be predicted: the front is the best cell of the map."}
    best = sorted(front, key=lambda row: row.total.mat)

    def marks(rows: Sequence[SweepRow], color: str, mode: str, size: int) -> Trace:
        return {
            "type": "scatter",
            "mode": mode,
            "x": [row.total.mat for row in rows],
            "y": [row.total.ratio for row in rows],
            "marker": {"color": color, "size": size},
            "line": {"color": color, "width": 1.6},
            "hoverinfo": "none",
            "customdata": [
                f"{_spelt(row, (across, up))}: {row.total.mat:.2f} tokens per pass, {row.total.ratio or 0:.2f}×"
                for row in rows
            ],
        }

    layout: Layout = {
        "height": 300,
        "margin": {"l": 54, "r": 16, "t": 8, "b": 44},
        "xaxis": axis("tokens per target pass", zeroline=False),
        "yaxis": axis("× plain, predicted", zeroline=False),
        "showlegend": False,
        "dragmode": False,
    }
    figure: Figure = {
        "data": [marks(timed, "var:muted", "markers", 5), marks(best, "var:accent", "lines+markers", 9)],
        "layout": layout,
    }
    sentence = f"{len(best)} of {len(timed)} combinations are beaten by no other in tokens per pass and predicted time at once."
    rows = [_row(row) for row in best]
    return {
        "sentence": sentence,
        "figures": {"front": figure},
        "table": {"columns": _columns(across, up), "rows": rows},
    }


def _spelt(row: SweepRow, knobs: Sequence[Control]) -> str:
    return ", ".join(f"{knob['label']} {said(row.values[knob['name']])}" for knob in knobs)


def _columns(across: Control, up: Control) -> list[Column]:
    return [
        {"key": across["name"], "label": across["label"]},
        {"key": up["name"], "label": up["label"]},
        {"key": "passes", "label": "passes", "numeric": True},
        {"key": "mat", "label": "tokens per pass", "numeric": True},
        {"key": "ratio", "label": "× plain, predicted", "numeric": True},
    ]


def _row(row: SweepRow) -> TableRow:
    told = {name: said(value) for name, value in row.values.items()}
    return {**told, "passes": row.total.passes, "mat": row.total.mat, "ratio": row.total.ratio}

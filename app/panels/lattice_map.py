"""The lattice as a heat map: positions by candidate rank, and how it looked after each refinement pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

from app.panels.drawing import DrawnShape, Figure, Layout, Stroke, Trace
from app.panels.labels import count, inert, short
from app.panels.lattice_paths import (
    DOMAIN,
    Cell,
    CellVerdict,
    cells_of,
    chosen_path,
    clipped,
    fixed_axis,
    ink_on,
    other_beams,
    signs,
)
from respec_core.methods.diffuspec.record import Lattice

ROW, WIDE_CELL, CELL = 30, 84, 48  # pixels
MANY = 8  # positions: from here on cells and their texts are narrow
END_MARK = " ⏹"
TEXT, BEAMS, GREEDY, CHOSEN, ACCEPTED, SIGNS = 3, 4, 6, 8, 10, 11  # order of the traces; lines lie on a halo


def map_figure(lattice: Lattice, verdict: CellVerdict) -> Figure:
    """Every candidate, what was cut, all beams, the favourites of each position, and the verdict."""
    columns, rows = len(lattice.positions), _rows(lattice, verdict)
    cells = [(p.i, r) for p in lattice.positions for r in range(min(rows, len(p.cand)))]
    pruned = [c for c in cells if not lattice.positions[c[0]].cand[c[1]].kept]
    beams = _beams(lattice)
    greedy = _stroke([cell for cell in cells_of(lattice, lattice.top1_path) if cell], 0.4)
    chosen = _stroke([cell for cell in cells_of(lattice, chosen_path(lattice)) if cell], 0.27)
    data: list[Trace] = [
        _heat(lattice, rows, kept=True),
        _heat(lattice, rows, kept=False),
        _hatch(pruned),
        _candidates(lattice, cells, columns),
        _line(beams, "var:surface", 3.2),
        _line(beams, "var:ink", 1.1),
        _line(greedy, "var:surface", 4),
        _line(greedy, "var:ink", 1.8, dash="dash"),
        _line(chosen, "var:surface", 5),
        _line(chosen, "var:ink", 2.6),
        _line(_stroke(verdict.accepted, 0.27), "var:accepted", 6),
        signs(verdict, 0.38),
    ]
    ticks = [f"{p.i + 1}<br>{p.M_i} · {p.mass_at_cut:.0%}" for p in lattice.positions]
    title = f"draft position; candidates kept · their probability (τ = {lattice.tau:.0%})"
    return {"data": data, "layout": _layout(rows, ticks, title), "min_width": _width(columns)}


class PassFrame(TypedDict):
    """A refinement pass in a sentence and a drawing."""

    sentence: str
    figure: Figure


def pass_frames(lattice: Lattice) -> list[PassFrame]:
    """The candidates after each refinement pass, with one sentence; empty where there was only one pass."""
    frames: list[PassFrame] = []
    before: set[int] = set()
    for number, seen in enumerate(lattice.passes, 1):
        rows = max((len(cand) for cand in seen.cand), default=1)
        still = len(seen.cand) - len(before.union(seen.decided))
        named = ", ".join(str(i + 1) for i in seen.decided) or "none"
        sentence = (
            f"Pass {number} of {len(lattice.passes)} decided {'position' if len(seen.decided) == 1 else 'positions'} {named} (framed)"
            + (f", where the model was surest; {count(still, 'position')} still open." if still else "; now all are.")
        )
        figure = _pass_figure(seen.cand, rows)
        figure["layout"]["shapes"] = [
            *(_frame(i, now=False) for i in sorted(before)),
            *(_frame(i) for i in seen.decided),
        ]
        figure["alt"] = sentence
        frames.append({"sentence": sentence, "figure": figure})
        before.update(seen.decided)
    return frames


def _pass_figure(positions: Sequence[Sequence[Any]], rows: int) -> Figure:
    columns = len(positions)
    z = [[_log(cand[r].p) if r < len(cand) else None for cand in positions] for r in range(rows)]
    cells = [(x, r) for x, cand in enumerate(positions) for r in range(len(cand))]
    found = [positions[x][r] for x, r in cells]
    data: list[Trace] = [
        _heat_of(z),
        _texts(cells, [c.text for c in found], [ink_on(_log(c.p)) for c in found], columns),
    ]
    layout = _layout(rows, [str(i + 1) for i in range(columns)], "draft position")
    return {"data": data, "layout": layout, "min_width": _width(columns)}


def _log(p: float) -> float:
    return clipped(math.log(p)) if p > 0 else DOMAIN[0]


def _frame(position: int, *, now: bool = True) -> DrawnShape:
    """Around a decided position's token: bold in the pass that decided it, dotted afterwards."""
    line: Stroke = {"color": "var:ink", "width": 3} if now else {"color": "var:muted", "width": 1.5, "dash": "dot"}
    box: DrawnShape = {"x0": position - 0.48, "x1": position + 0.48, "y0": -0.46, "y1": 0.46}
    return {**box, "type": "rect", "xref": "x", "yref": "y", "line": line, "fillcolor": "rgba(0,0,0,0)"}


def _layout(rows: int, ticks: Sequence[str], title: str) -> Layout:
    columns = len(ticks)
    return {
        "height": rows * ROW + 66,
        "margin": {"l": 40, "r": 12, "t": 8, "b": 54},
        "xaxis": fixed_axis(title, range(columns), ticks, (-0.5, columns - 0.5)),
        "yaxis": fixed_axis("candidate rank", range(rows), [str(r + 1) for r in range(rows)], (rows - 0.5, -0.5)),
        "showlegend": False,
        "dragmode": False,
    }


def _width(columns: int) -> int:
    return columns * (CELL if columns > MANY else WIDE_CELL) + 52


def _rows(lattice: Lattice, verdict: CellVerdict) -> int:
    """Ranks worth drawing: all that were kept, two more, and whatever the target pointed at."""
    longest = max((len(p.cand) for p in lattice.positions), default=1)
    deepest = max((rank for _, rank in verdict.cells), default=0)
    return min(longest, max(4, deepest + 1, max((p.M_i for p in lattice.positions), default=1) + 2))


def _heat(lattice: Lattice, rows: int, *, kept: bool) -> Trace:
    def value(rank: int, x: int) -> float | None:
        cand = lattice.positions[x].cand
        return clipped(cand[rank].logp_dlm) if rank < len(cand) and cand[rank].kept is kept else None

    z = [[value(rank, x) for x in range(len(lattice.positions))] for rank in range(rows)]
    return _heat_of(z) | {"opacity": 1 if kept else 0.22}


def _heat_of(z: list[list[float | None]]) -> Trace:
    return {
        "type": "heatmap",
        "z": z,
        "zmin": DOMAIN[0],
        "zmax": DOMAIN[1],
        "colorscale": "scale:cividis",
        "showscale": False,
        "hoverinfo": "skip",
        "xgap": 2,
        "ygap": 2,
    }


def _hatch(cells: Sequence[Cell]) -> Trace:
    """Slanting strokes over the cells that were cut."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for x, y in cells:
        for shift in (-0.36, -0.24, -0.12, 0.0, 0.12, 0.24, 0.36):
            xs += [round(x + shift - 0.05, 2), round(x + shift + 0.05, 2), None]
            ys += [y + 0.44, y - 0.44, None]
    return _line((xs, ys), "var:faint", 0.9)


def _candidates(lattice: Lattice, cells: Sequence[Cell], columns: int) -> Trace:
    found = [lattice.positions[x].cand[rank] for x, rank in cells]
    inks = [ink_on(c.logp_dlm) if c.kept else "var:muted" for c in found]
    return _texts(cells, [c.text for c in found], inks, columns, [END_MARK if c.is_eos else "" for c in found])


def _texts(
    cells: Sequence[Cell], texts: Sequence[str], inks: Sequence[str], columns: int, marks: Sequence[str] = ()
) -> Trace:
    """Tokens in their cells, cut to fit, each followed by its mark."""
    width = 6 if columns > MANY else 10
    marked = zip(texts, marks or [""] * len(texts), strict=True)
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _ in cells],
        "y": [rank - 0.03 for _, rank in cells],
        "text": [inert(f"{short(text, width)}{mark}") for text, mark in marked],
        "textfont": {"family": "var:mono", "size": 12, "color": list(inks)},
        "customdata": [list(cell) for cell in cells],
        "hoverinfo": "none",
    }


PlotLine = tuple[list[float | None], list[float | None]]


def _beams(lattice: Lattice) -> PlotLine:
    """The other beams, one after the other, along the upper edge of their cells."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for beam in other_beams(lattice):
        x, y = _stroke([cell for cell in cells_of(lattice, beam.tokens) if cell], -0.34)
        xs += [*x, None]
        ys += [*y, None]
    return xs, ys


def _stroke(cells: Sequence[Cell], drop: float) -> PlotLine:
    """A path past its cells' texts, with a level stroke inside each cell."""
    xs: list[float | None] = [at for x, _ in cells for at in (x - 0.3, x + 0.3)]
    return xs, [round(rank + drop, 3) for _, rank in cells for _ in range(2)]


def _line(points: PlotLine, color: str, width: float, /, **more: Unpack[Stroke]) -> Trace:
    line: Stroke = {"color": color, "width": width, **more}
    return {"type": "scatter", "mode": "lines", "x": points[0], "y": points[1], "hoverinfo": "skip", "line": line}

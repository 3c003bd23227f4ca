"""Where every position of a lattice was cut: its candidates stacked by probability, likeliest at the bottom, and τ."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.panels.drawing import DrawnShape, Figure, Layout, Marker, Stroke, Trace
from app.panels.labels import inert, short
from app.panels.lattice_paths import DOMAIN, Cell, clipped, fixed_axis, ink_on
from respec_core.methods.diffuspec.record import Lattice, LatticePosition

HEIGHT, WIDE_BAR, BAR = 340, 84, 48  # pixels
MANY = 8  # positions: from here on bars and texts are narrow
READABLE = 0.055  # share of the height that a token's text needs
HALF = 0.4  # of a bar's width
HATCHED: Marker = {
    "color": "var:surface",
    "pattern": {"shape": "/", "size": 7, "solidity": 0.2, "fgcolor": "var:faint"},
    "line": {"width": 1, "color": "var:line-strong"},
}
KEPT, CUT, TEXT, CUTS, MARKS = 0, 1, 2, 3, 4  # order of the traces


def mass_figure(lattice: Lattice) -> Figure:
    """A bar for every position: kept candidates, cut ones, and a line where ``M_i`` of them were enough."""
    columns = len(lattice.positions)
    base = {(p.i, rank): below for p in lattice.positions for rank, below in enumerate(_sums(p))}
    cells = list(base)
    kept = [cell for cell in cells if lattice.positions[cell[0]].cand[cell[1]].kept]
    cut = [cell for cell in cells if not lattice.positions[cell[0]].cand[cell[1]].kept]
    named = [cell for cell in kept if _p(lattice, cell) >= READABLE]
    data: list[Trace] = [
        _bars(lattice, kept, base, _fill(lattice, kept)),
        _bars(lattice, cut, base, HATCHED),
        _names(lattice, named, base, columns),
        _cuts(lattice),
        _marks(lattice),
    ]
    ticks = [f"{p.i + 1}<br>{p.M_i} · {p.mass_at_cut:.0%}" for p in lattice.positions]
    shares = [0, 0.2, 0.4, 0.6, 0.8, 1]
    yaxis = fixed_axis("probability, added up by rank", shares, [f"{share:.0%}" for share in shares], (0, 1.06))
    tau: DrawnShape = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "yref": "y",
        "y0": lattice.tau,
        "y1": lattice.tau,
    }
    layout: Layout = {
        "height": HEIGHT,
        "margin": {"l": 52, "r": 62, "t": 8, "b": 54},
        "barmode": "overlay",
        "xaxis": fixed_axis(
            f"draft position; M kept · their probability (τ = {lattice.tau:.0%})",
            range(columns),
            ticks,
            (-0.5, columns - 0.5),
        ),
        "yaxis": yaxis | {"showgrid": True},
        "shapes": [tau | {"line": {"color": "var:rejected", "width": 2, "dash": "dash"}}],
        "annotations": [
            {
                "xref": "paper",
                "x": 1,
                "xanchor": "left",
                "yref": "y",
                "y": lattice.tau,
                "text": f"τ = {lattice.tau:.0%}",
                "showarrow": False,
                "font": {"size": 12, "color": "var:rejected-ink"},
            }
        ],
        "showlegend": False,
        "dragmode": False,
    }
    return {"data": data, "layout": layout, "min_width": columns * (BAR if columns > MANY else WIDE_BAR) + 114}


def _sums(position: LatticePosition) -> list[float]:
    """The probability before each candidate."""
    below, sums = 0.0, []
    for candidate in position.cand:
        sums.append(below)
        below += math.exp(candidate.logp_dlm)
    return sums


def _p(lattice: Lattice, cell: Cell) -> float:
    return math.exp(lattice.positions[cell[0]].cand[cell[1]].logp_dlm)


def _bars(lattice: Lattice, cells: Sequence[Cell], base: dict[Cell, float], look: Marker) -> Trace:
    return {
        "type": "bar",
        "x": [x for x, _ in cells],
        "y": [round(_p(lattice, cell), 4) for cell in cells],
        "base": [round(base[cell], 4) for cell in cells],
        "width": 2 * HALF,  # else as wide as the next bar is far
        "customdata": [list(cell) for cell in cells],
        "hoverinfo": "none",
        "marker": look,
    }


def _fill(lattice: Lattice, cells: Sequence[Cell]) -> Marker:
    return {
        "color": [clipped(lattice.positions[x].cand[rank].logp_dlm) for x, rank in cells],
        "cmin": DOMAIN[0],
        "cmax": DOMAIN[1],
        "colorscale": "scale:cividis",
        "line": {"width": 1, "color": "var:surface"},
    }


def _names(lattice: Lattice, cells: Sequence[Cell], base: dict[Cell, float], columns: int) -> Trace:
    found = [lattice.positions[x].cand[rank] for x, rank in cells]
    width = 6 if columns > MANY else 10
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _ in cells],
        "y": [round(base[cell] + _p(lattice, cell) / 2, 4) for cell in cells],
        "text": [inert(f"{short(c.text, width)}{' ⏹' if c.is_eos else ''}") for c in found],
        "textfont": {
            "family": "var:mono",
            "size": 12,
            "color": [ink_on(c.logp_dlm) for c in found],
        },
        "hoverinfo": "skip",
    }


def _cuts(lattice: Lattice) -> Trace:
    """A bar's line at ``M_i``."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for p in lattice.positions:
        xs += [p.i - HALF - 0.05, p.i + HALF + 0.05, None]
        ys += [round(p.mass_at_cut, 4), round(p.mass_at_cut, 4), None]
    line: Stroke = {"color": "var:ink", "width": 3}
    return {"type": "scatter", "mode": "lines", "x": xs, "y": ys, "hoverinfo": "skip", "line": line}


def _marks(lattice: Lattice) -> Trace:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [p.i for p in lattice.positions],
        "y": [round(p.mass_at_cut, 4) for p in lattice.positions],
        "text": [f"M = {p.M_i}" for p in lattice.positions],
        "textposition": "top center",
        "textfont": {"size": 12, "color": "var:ink"},
        "hoverinfo": "skip",
    }

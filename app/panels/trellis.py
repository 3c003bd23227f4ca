"""The lattice as a trellis: kept candidates as nodes, the beams of the search as edges between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from app.panels.drawing import Figure, Layout, Trace
from app.panels.labels import inert, short
from app.panels.lattice_paths import (
    DOMAIN,
    Cell,
    CellVerdict,
    cells_of,
    chosen_path,
    clipped,
    fixed_axis,
    other_beams,
    signs,
)
from respec_core.methods.diffuspec.record import Lattice

ROW, WIDE_COLUMN, COLUMN = 50, 84, 64  # pixels
MANY = 8  # positions: from here on columns and texts are narrow
ALWAYS = 3  # ranks drawn even where no beam passes
START: Cell = (-1, 0)  # where every beam begins
THIN, THICK, CHOSEN = 1.2, 3.0, 4.2  # edges, pixels


def trellis_figure(lattice: Lattice, verdict: CellVerdict) -> Figure:
    """Nodes by probability, edges by the score of the best beam through them; ranks that no beam uses are left out."""
    columns = len(lattice.positions)
    paths = [_cells(lattice, chosen_path(lattice)), *(_cells(lattice, beam.tokens) for beam in other_beams(lattice))]
    used = {cell for path in paths for cell in path} | set(verdict.cells)
    kept = {(p.i, rank) for p in lattice.positions for rank, c in enumerate(p.cand) if c.kept}
    ranks = sorted({rank for _, rank in used} | {rank for _, rank in kept if rank < ALWAYS})
    row = {rank: y for y, rank in enumerate(ranks)}
    strong = (used & kept) | {cell for path in paths for cell in path} - {START}
    faint = {cell for cell in kept | used if cell[1] in row} - strong - {START}
    accepted = [START, *verdict.accepted] if verdict.accepted else []
    data: list[Trace] = [
        *reversed(_edges(lattice, paths, row)),  # the chosen path above the others
        _line(accepted, row, "var:accepted", 7),
        _nodes(lattice, sorted(faint), row, faint=True),
        _nodes(lattice, sorted(strong), row, faint=False),
        _start(),
        signs(verdict, 0.2, 0.3, row),
    ]
    more = [sum(cell[0] == x and cell[1] not in row for cell in kept) for x in range(columns)]
    ticks = [f"{x + 1}{f'<br>+ {n}' if n else ''}" for x, n in enumerate(more)]
    title = "draft position" + ("; + n: kept, on no beam, not drawn" if any(more) else "")
    layout: Layout = {
        "height": len(ranks) * ROW + 74,
        "margin": {"l": 40, "r": 12, "t": 8, "b": 54},
        "xaxis": fixed_axis(title, range(columns), ticks, (-1.6, columns - 0.5)),
        "yaxis": fixed_axis(
            "candidate rank", list(row.values()), [str(rank + 1) for rank in ranks], (len(ranks) - 0.25, -0.6)
        ),
        "showlegend": False,
        "dragmode": False,
    }
    return {
        "data": data,
        "layout": layout,
        "min_width": (columns + 1) * (COLUMN if columns > MANY else WIDE_COLUMN) + 52,
    }


def _cells(lattice: Lattice, tokens: Sequence[int]) -> list[Cell]:
    return [START, *(cell for cell in cells_of(lattice, tokens) if cell)]


def _edges(lattice: Lattice, paths: Sequence[Sequence[Cell]], row: Mapping[int, int]) -> list[Trace]:
    """A trace for every beam; what it shares with a better one is drawn there."""
    scores = [beam.score for beam in other_beams(lattice)]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    drawn: set[tuple[Cell, Cell]] = set()
    edges = []
    for number, path in enumerate(paths):
        steps = [pair for pair in pairwise(path) if pair not in drawn]
        drawn.update(steps)
        ends = [end for pair in steps for end in (*pair, None)]
        share = (scores[number - 1] - low) / (high - low) if number and high > low else 1.0
        color, width = ("var:muted", round(THIN + (THICK - THIN) * share, 2)) if number else ("var:ink", CHOSEN)
        edges.append(_line(ends, row, color, width))
    return edges


def _line(cells: Sequence[Cell | None], row: Mapping[int, int], color: str, width: float) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [cell and cell[0] for cell in cells],
        "y": [cell and row[cell[1]] for cell in cells],
        "hoverinfo": "skip",
        "line": {"color": color, "width": width},
    }


def _nodes(lattice: Lattice, cells: Sequence[Cell], row: Mapping[int, int], *, faint: bool) -> Trace:
    found = [lattice.positions[x].cand[rank] for x, rank in cells]
    width = 7 if len(lattice.positions) > MANY else 11
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [x for x, _ in cells],
        "y": [row[rank] for _, rank in cells],
        "text": [inert(f"{short(c.text, width)}{' ⏹' if c.is_eos else ''}") for c in found],
        "textposition": "bottom center",
        "textfont": {"family": "var:mono", "size": 12, "color": "var:muted" if faint else "var:ink"},
        "customdata": [list(cell) for cell in cells],
        "hoverinfo": "none",
        "marker": {
            "symbol": "circle",
            "size": [round(7 + 17 * math.sqrt(math.exp(min(0.0, c.logp_dlm))), 1) for c in found],
            "color": [clipped(c.logp_dlm) for c in found],
            "cmin": DOMAIN[0],
            "cmax": DOMAIN[1],
            "colorscale": "scale:cividis",
            "opacity": 0.45 if faint else 1,
            "line": {"width": 1.2, "color": "var:outline"},
        },
    }


def _start() -> Trace:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [START[0]],
        "y": [START[1]],
        "text": ["text so far"],
        "textposition": "bottom center",
        "textfont": {"size": 12, "color": "var:muted"},
        "hoverinfo": "skip",
        "marker": {"symbol": "square", "size": 10, "color": "var:ink", "opacity": 1},
    }

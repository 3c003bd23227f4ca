"""How often the target chose each rank of a draft position's candidates, and how many are worth a node (arXiv 2606.18394)."""

from __future__ import annotations

from collections.abc import Sequence

from app.panels.drawing import Figure, Stroke, Trace
from app.panels.labels import count
from app.panels.panel import GeneralView, RunPanel, Table
from respec_core.methods.diffuspec.depth_ranks import LEAST, DepthRanks, depth_ranks
from respec_core.trace.schema import Run

POSITIONS, RANKS = 32, 8  # shown
COLUMN = 46  # pixels that a share needs
FEW = round(1 / LEAST)  # rounds: below this a single choice is more than the least share


def ranks_view(run: Run) -> GeneralView | None:
    """A cell for every position and rank, and the children that a node would get."""
    found = depth_ranks(run.steps)[:POSITIONS]
    if not found:
        return None
    said = sentence(found)
    return {
        "sentence": said,
        "figures": {"Share of the rounds that chose each rank": {**_figure(found), "alt": said}},
        "table": _table(found),
    }


def sentence(found: Sequence[DepthRanks]) -> str:
    """The children by depth, and how far they can be trusted."""
    children = ", ".join(str(depth.children()) for depth in found)
    told = (
        f"At least {LEAST:.0%} of the rounds that got there chose each of so many ranks, from the first position on: "
        f"{children}."
    )
    thin = next((i for i, depth in enumerate(found, 1) if depth.rounds < FEW), None)
    if thin is None:
        return told
    return f"{told} From position {thin} on fewer than {FEW} rounds got there, so one choice is enough for that."


def _figure(found: Sequence[DepthRanks]) -> Figure:
    deep, ranks = len(found), min(RANKS, len(found[0].chosen))
    shares = [[depth.acceptance[rank] for depth in found] for rank in range(ranks)]
    notes = [[_told(i, depth, rank) for i, depth in enumerate(found, 1)] for rank in range(ranks)]
    cells: Trace = {
        "type": "heatmap",
        "x": [*range(1, deep + 1)],
        "y": [*range(1, ranks + 1)],
        "z": shares,
        "zmin": 0,
        "zmax": 1,
        "colorscale": "scale:cividis",
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "customdata": notes,
        "hoverinfo": "none",
    }
    return {
        "data": [cells, _numbers(shares), _cut(found, ranks)],
        "layout": {
            "height": 70 + 26 * ranks,
            "margin": {"l": 52, "r": 14, "t": 8, "b": 38},
            "xaxis": {"title": {"text": "draft position"}, "dtick": 1, "range": [0.4, deep + 0.6], "fixedrange": True,
                      "showgrid": False, "zeroline": False},
            "yaxis": {"title": {"text": "rank"}, "dtick": 1, "range": [ranks + 0.6, 0.4], "fixedrange": True,
                      "showgrid": False, "zeroline": False},
            "showlegend": False,
            "dragmode": False,
        },
        "min_width": deep * COLUMN + 66,
    }  # fmt: skip


def _numbers(shares: Sequence[Sequence[float]]) -> Trace:
    """The shares in the cells, readable on either end of the scale."""
    cells = [(x, y, share) for y, row in enumerate(shares, 1) for x, share in enumerate(row, 1)]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _, _ in cells],
        "y": [y for _, y, _ in cells],
        "text": [f"{share:.0%}" if share else "" for _, _, share in cells],
        "textfont": {"size": 12, "color": ["#000000" if share > 0.5 else "#ffffff" for _, _, share in cells]},
        "hoverinfo": "skip",
    }


def _cut(found: Sequence[DepthRanks], ranks: int) -> Trace:
    """A step below the ranks that are worth a child."""
    xs, ys = [], []
    for x, depth in enumerate(found, 1):
        xs += [x - 0.5, x + 0.5]
        ys += [min(depth.children(), ranks) + 0.5] * 2
    line: Stroke = {"color": "var:rejected", "width": 2.5}
    return {"type": "scatter", "mode": "lines", "x": xs, "y": ys, "hoverinfo": "skip", "line": line}


def _told(position: int, depth: DepthRanks, rank: int) -> str:
    return (
        f"position {position}, rank {rank + 1}: chosen in {depth.chosen[rank]} of {count(depth.rounds, 'round')} "
        f"({depth.acceptance[rank]:.0%})"
    )


def _table(found: Sequence[DepthRanks]) -> Table:
    ranks = min(RANKS, len(found[0].chosen))
    names = [("position", "position"), ("rounds", "rounds"), ("children", f"ranks ≥ {LEAST:.0%}")]
    names += [(f"rank{rank}", f"rank {rank}") for rank in range(1, ranks + 1)]
    return {
        "columns": [{"key": key, "label": label, "numeric": True} for key, label in names],
        "rows": [
            {"position": i, "rounds": depth.rounds, "children": depth.children()}
            | {f"rank{rank + 1}": f"{depth.acceptance[rank]:.0%}" for rank in range(ranks)}
            for i, depth in enumerate(found, 1)
        ],
    }


PANEL = RunPanel(id="depth-ranks", title="Ranks by position", tab="Ranks", reads=("lattice",), view=ranks_view)

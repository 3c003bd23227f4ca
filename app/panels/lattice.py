"""A diffusion lattice: positions by candidate rank, what was pruned, the greedy and the chosen path, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.panels import Figure
from app.panels.labels import count, inert, short
from respec_core.trace import Lattice, LatticePosition, Step, Token

DOMAIN = (-6.0, 0.0)  # log-probability in nats, the same in every round
BRIGHT = -2.7  # above it Cividis is light and text is black
ROW, WIDE_CELL, CELL = 26, 84, 48  # pixels
MANY = 8  # positions: from here on cells and their texts are narrow
TEXT, GREEDY, CHOSEN, ACCEPTED, SIGNS = 3, 4, 6, 8, 9  # order of the traces
Cell = tuple[int, int]  # position, rank, both from 0


def lattice_view(step: Step, tokens: Sequence[Token]) -> dict[str, Any] | None:
    """Figure, sentence and the cut of every position; None for rounds without a lattice."""
    if step.lattice is None:
        return None
    verdict = _verdict(step, tokens)
    sentence = _sentence(step, tokens, verdict)
    figure = _figure(step.lattice, verdict)
    figure["alt"] = sentence
    return {"sentence": sentence, "cuts": [cut(p, step.lattice.tau) for p in step.lattice.positions], "figure": figure}


def cut(position: LatticePosition, tau: float) -> str:
    """Why a position's candidates end where they end."""
    first = f"the best {position.M_i} candidates" if position.M_i > 1 else "the best candidate"
    hold = "holds" if position.M_i == 1 else "hold"
    reach = "≥" if position.mass_at_cut >= tau else "<"
    rest = "the others were cut" if position.M_i < len(position.cand) else "none was cut"
    return f"{first} {hold} {position.mass_at_cut:.0%} of the probability, {reach} τ = {tau:.0%}; {rest}"


def cells_of(lattice: Lattice, tokens: Sequence[int]) -> list[Cell | None]:
    """Where a path of tokens runs through the lattice; None where it left it."""
    found: list[Cell | None] = []
    for position, token in zip(lattice.positions, tokens, strict=False):
        rank = next((r for r, candidate in enumerate(position.cand) if candidate.token == token), None)
        found.append(None if rank is None else (position.i, rank))
    return found


def chosen_path(lattice: Lattice) -> tuple[int, ...]:
    """The tokens of the best path."""
    return lattice.beams[lattice.chosen].tokens if lattice.beams else ()


def _verdict(step: Step, tokens: Sequence[Token]) -> dict[str, list[Cell]]:
    """Cells the target accepted, the guess it rejected first, and its own token there if it was a candidate."""
    lattice, nodes, path = step.lattice, step.trees.final, step.commit.path_node_ids
    assert lattice is not None
    at = len(path)
    accepted = [cell for cell in cells_of(lattice, [nodes[i].token for i in path]) if cell]
    rejected: list[Cell] = []
    own: list[Cell] = []
    if at < len(lattice.positions):
        last = path[-1] if path else 0
        lost = [n.token for n in nodes if n.parent == last and n.outcome == "rejected"]
        favourite = chosen_path(lattice)[at : at + 1]
        first = next((t for t in favourite if t in lost), lost[0] if lost else None)
        rejected = _at(lattice.positions[at], first)
        if step.commit.extra is not None and tokens:
            own = _at(lattice.positions[at], step.commit.extra.token)
    return {"accepted": accepted, "rejected": rejected, "own": own}


def _at(position: LatticePosition, token: int | None) -> list[Cell]:
    return [(position.i, rank) for rank, candidate in enumerate(position.cand) if candidate.token == token]


def _sentence(step: Step, tokens: Sequence[Token], verdict: dict[str, list[Cell]]) -> str:
    lattice, at = step.lattice, len(step.commit.path_node_ids)
    assert lattice is not None
    said = f"{count(lattice.k, 'position')}, {at} accepted"
    if step.commit.extra is None or not tokens or at >= len(lattice.positions):
        return f"{said}."
    wanted = f"at position {at + 1} the target wanted ‘{short(tokens[-1].piece, 24)}’"
    if not verdict["own"]:
        return f"{said}; {wanted}, which was no candidate."
    rank = verdict["own"][0][1]
    kept = lattice.positions[at].cand[rank].kept
    return f"{said}; {wanted}, candidate {rank + 1}, {'kept but not drafted here' if kept else 'which had been cut'}."


def _figure(lattice: Lattice, verdict: dict[str, list[Cell]]) -> Figure:
    columns, rows = len(lattice.positions), _rows(lattice, verdict)
    chosen = [cell for cell in cells_of(lattice, chosen_path(lattice)) if cell]
    greedy = [cell for cell in cells_of(lattice, lattice.top1_path) if cell]
    cells = [(p.i, r) for p in lattice.positions for r in range(min(rows, len(p.cand)))]
    pruned = [c for c in cells if not lattice.positions[c[0]].cand[c[1]].kept]
    data = [
        _heat(lattice, rows, kept=True),
        _heat(lattice, rows, kept=False),
        _hatch(pruned),
        _texts(lattice, cells, columns),
        _line(greedy, 0.39, {"color": "var:surface", "width": 4}),
        _line(greedy, 0.39, {"color": "var:ink", "width": 1.8, "dash": "dash"}),
        _line(chosen, 0.24, {"color": "var:surface", "width": 5}),
        _line(chosen, 0.24, {"color": "var:ink", "width": 2.4}),
        _line(verdict["accepted"], 0.24, {"color": "var:accepted", "width": 6}),
        _signs(verdict),
    ]
    ticks = [f"{p.i + 1}<br>{p.M_i} · {p.mass_at_cut:.0%}" for p in lattice.positions]
    layout = {
        "height": rows * ROW + 66,
        "margin": {"l": 40, "r": 12, "t": 8, "b": 54},
        "xaxis": {
            "title": {"text": f"draft position; candidates kept · their probability (τ = {lattice.tau:.0%})"},
            "tickvals": list(range(columns)),
            "ticktext": ticks,
            "range": [-0.5, columns - 0.5],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "title": {"text": "candidate rank"},
            "tickvals": list(range(rows)),
            "ticktext": [str(r + 1) for r in range(rows)],
            "range": [rows - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "showlegend": False,
        "dragmode": False,
    }
    return {"data": data, "layout": layout, "min_width": columns * (CELL if columns > MANY else WIDE_CELL) + 52}


def _rows(lattice: Lattice, verdict: dict[str, list[Cell]]) -> int:
    """Ranks worth drawing: all that were kept, two more, and whatever the target pointed at."""
    longest = max((len(p.cand) for p in lattice.positions), default=1)
    deepest = max((rank for cells in verdict.values() for _, rank in cells), default=0)
    return min(longest, max(4, deepest + 1, max((p.M_i for p in lattice.positions), default=1) + 2))


def _heat(lattice: Lattice, rows: int, *, kept: bool) -> dict[str, Any]:
    def value(position: LatticePosition, rank: int) -> float | None:
        if rank >= len(position.cand) or position.cand[rank].kept is not kept:
            return None
        return round(max(DOMAIN[0], position.cand[rank].logp_dlm), 3)

    return {
        "type": "heatmap",
        "z": [[value(p, rank) for p in lattice.positions] for rank in range(rows)],
        "zmin": DOMAIN[0],
        "zmax": DOMAIN[1],
        "colorscale": "scale:cividis",
        "showscale": False,
        "hoverinfo": "skip",
        "xgap": 2,
        "ygap": 2,
        "opacity": 1 if kept else 0.22,
    }


def _hatch(cells: Sequence[Cell]) -> dict[str, Any]:
    """Slanting strokes over the cells that were cut."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for x, y in cells:
        for shift in (-0.36, -0.24, -0.12, 0.0, 0.12, 0.24, 0.36):
            xs += [x + shift - 0.05, x + shift + 0.05, None]
            ys += [y + 0.44, y - 0.44, None]
    line = {"color": "var:faint", "width": 0.9}
    return {"type": "scatter", "mode": "lines", "x": xs, "y": ys, "hoverinfo": "skip", "line": line}


def _texts(lattice: Lattice, cells: Sequence[Cell], columns: int) -> dict[str, Any]:
    width = 6 if columns > MANY else 10
    found = [lattice.positions[x].cand[rank] for x, rank in cells]
    ink = [("#000000" if c.logp_dlm > BRIGHT else "#ffffff") if c.kept else "var:muted" for c in found]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _ in cells],
        "y": [rank - 0.08 for _, rank in cells],
        "text": [inert(f"{short(c.text, width)}{' ⏹' if c.is_eos else ''}") for c in found],
        "textfont": {"family": "var:mono", "size": 11, "color": ink},
        "customdata": [list(cell) for cell in cells],
        "hoverinfo": "none",
    }


def _line(cells: Sequence[Cell], drop: float, line: dict[str, Any]) -> dict[str, Any]:
    """A path along the lower part of its cells, so that their texts stay readable; a stroke inside each."""
    xs = [at for x, _ in cells for at in (x - 0.3, x + 0.3)]
    ys = [rank + drop for _, rank in cells for _ in range(2)]
    return {"type": "scatter", "mode": "lines", "x": xs, "y": ys, "hoverinfo": "skip", "line": line}


def _signs(verdict: dict[str, list[Cell]]) -> dict[str, Any]:
    """✓ on what was accepted, ✗ on the first guess that was not, ↻ on the target's own token."""
    signs = [
        *((cell, "✓", "var:accepted", "#ffffff") for cell in verdict["accepted"]),
        *((cell, "✗", "var:rejected", "#000000") for cell in verdict["rejected"]),
        *((cell, "↻", "var:correction", "#000000") for cell in verdict["own"]),
    ]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [cell[0] - 0.38 for cell, *_ in signs],
        "y": [cell[1] for cell, *_ in signs],
        "text": [sign for _, sign, *_ in signs],
        "textfont": {"size": 11, "color": [ink for *_, ink in signs]},
        "hoverinfo": "skip",
        "marker": {
            "symbol": "circle",
            "size": 16,
            "opacity": 1,
            "color": [fill for _, _, fill, _ in signs],
            "line": {"width": 1.5, "color": "var:surface"},
        },
    }

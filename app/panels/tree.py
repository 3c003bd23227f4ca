"""The draft tree of a round: accepted path, rejected and unreached nodes, and the token the target added itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from app.panels import Figure
from app.panels.labels import count, inert, short
from app.panels.room import WHOLE
from app.panels.tree_choice import telling
from app.panels.tree_layout import Placement, place
from respec_core.trace.round import Extra, Node, Step

WIDE, NARROW = 13, 6
CHAIN_ROW, TALLEST = 58, 460  # pixels
MAX_DRAWN = 200
EXTRA = -1  # id of the target's own token, which is no draft node
MORE = -2  # id of the mark that stands for the nodes left out

SYMBOLS = {"model": "circle", "dlm": "triangle-up", "recycle": "square", "schema": "square", "logits": "square"}
RETRIEVED = "diamond"


@dataclass(frozen=True)
class _Mark:
    """A node as drawn."""

    id: int
    parent: int  # index into the marks
    label: str
    symbol: str
    fill: str
    line: str


class TreeFigures(TypedDict):
    """A tree for wide screens and, where that would not fit a phone, for narrow ones."""

    wide: Figure
    narrow: NotRequired[Figure]


def step_trees(step: Step, extra_text: str, room: int = WHOLE) -> TreeFigures:
    """The round's tree."""
    return trees(step.trees.final, step.commit.extra, extra_text, step.commit.path_node_ids, room)


def trees(
    nodes: Sequence[Node], extra: Extra | None = None, text: str = "", path: Sequence[int] = (), room: int = WHOLE
) -> TreeFigures:
    """Figures of ``nodes``. Before verification they have no outcome and are drawn as pending.

    Args:
        extra: the token the target added below the accepted path, with its ``text``.
        path: accepted node ids, in order.
        room: most nodes that are drawn; the others are counted in a mark of their own.
    """
    marks, alt = _marks(nodes, extra, text, path, min(MAX_DRAWN, room)), describe(nodes, extra, text, path)
    found: TreeFigures = {"wide": _figure(marks, path, WIDE, alt)}
    if _chain(marks) and len(marks) > NARROW:  # only chains wrap
        found["narrow"] = _figure(marks, path, NARROW, alt)
    return found


def _figure(marks: Sequence[_Mark], path: Sequence[int], columns: int, alt: str) -> Figure:
    at, chain = _places(marks, columns)
    good = {0, *path, EXTRA}
    firm = [m.parent >= 0 and m.id in good and marks[m.parent].id in good for m in marks]
    solid = [i for i, m in enumerate(marks) if firm[i]]
    loose = [i for i, m in enumerate(marks) if m.parent >= 0 and not firm[i]]
    row_px = CHAIN_ROW if chain else max(13, min(40, TALLEST // at.rows))
    crowded = not chain and at.rows > 14
    inner = {m.parent for m in marks}
    data = [
        _edges(marks, loose, at.x, at.y, {"color": "var:faint", "width": 1 if crowded else 1.2, "dash": "dot"}),
        _edges(marks, solid, at.x, at.y, {"color": "var:accepted", "width": 2.6}),
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": at.x,
            "y": at.y,
            "text": [inert(f" {m.label}" if crowded and i not in inner else m.label) for i, m in enumerate(marks)],
            "textposition": [_beside(m, i in inner, chain) for i, m in enumerate(marks)],
            "textfont": {"family": "var:mono", "size": 10 if crowded else 11, "color": [_ink(m.fill) for m in marks]},
            "customdata": [m.id for m in marks],
            "hoverinfo": "none",
            "cliponaxis": False,
            "marker": {
                "symbol": [m.symbol for m in marks],
                "size": 8 if crowded else 11,
                "color": [m.fill for m in marks],
                "line": {"width": 1.2 if crowded else 1.4, "color": [m.line for m in marks]},
            },
        },
    ]
    layout = {
        "height": int(max(96, at.rows * row_px + (30 if chain else 44))),
        "margin": {"l": 8, "r": 8 if chain else 40, "t": 8, "b": 8},
        "xaxis": {"visible": False, "range": [-0.6, max(at.columns, 7 if chain else 5) - 0.4]},
        "yaxis": {"visible": False, "range": [-at.rows + (0.35 if chain else 0.3), 0.62 if chain else 1.0]},
        "showlegend": False,
        "dragmode": "pan",
    }
    return {
        "data": data,
        "layout": layout,
        "min_width": at.columns * (40 if chain else 58),
        "alt": alt,
    }


def _places(marks: Sequence[_Mark], columns: int) -> tuple[Placement, bool]:
    """Where the marks go, and whether they are a chain. A correction stands below the guess it replaces."""
    drafted = [i for i, m in enumerate(marks) if m.id != EXTRA]
    chain = _chain(marks)
    own = next((i for i, m in enumerate(marks) if m.id == EXTRA), None)
    if not chain or own is None or marks[own].parent == own - 1:
        return place([m.parent for m in marks], columns), chain
    at = place([marks[i].parent for i in drafted], columns)
    rejected = drafted.index(marks[own].parent) + 1
    x, y = list(at.x), list(at.y)
    x.insert(own, at.x[rejected])
    y.insert(own, at.y[rejected] - 0.42)
    return Placement(tuple(x), tuple(y), at.columns, at.rows), True


def _chain(marks: Sequence[_Mark]) -> bool:
    return all(mark.parent == i - 1 for i, mark in enumerate(marks) if mark.id != EXTRA)


def _beside(mark: _Mark, inner: bool, chain: bool) -> str:
    """Where a mark's label goes: above where lines go on to the right, else behind it."""
    if chain:
        return "middle right" if mark.id == EXTRA and mark.label.startswith("↻") else "top center"
    return "top center" if inner else "middle right"


def describe(nodes: Sequence[Node], extra: Extra | None, text: str, path: Sequence[int]) -> str:
    """The tree in one sentence, for those who cannot see it."""
    drafted = len(nodes) - 1
    own = f"; the target added {text!r} itself ({extra.kind})" if extra else ""
    if drafted == 0:
        return f"No draft this round{own}."
    verdict = f", {len(path)} accepted" if extra or path else ", not verified yet"
    return f"Draft tree of {count(drafted, 'node')}{verdict}{own}."


def _marks(nodes: Sequence[Node], extra: Extra | None, text: str, path: Sequence[int], most: int) -> list[_Mark]:
    kept = telling(nodes, most - 1, _order(path))
    index = {node.id: i for i, node in enumerate(kept)}
    marks = [_mark(node, index.get(node.parent, -1)) for node in kept]
    if extra is not None:
        below = next((index[node] for node in reversed(path) if node in index), 0)
        kind = "plain" if len(nodes) == 1 else extra.kind
        glyph = {"correction": "↻ ", "bonus": "+ ", "plain": ""}[kind]
        fill = {"correction": "var:correction", "bonus": "var:accepted", "plain": "var:faint"}[kind]
        symbol = "circle-cross" if kind == "bonus" else "circle"
        marks.append(_Mark(EXTRA, below, f"{glyph}{short(text)}", symbol, fill, "var:outline"))
    if left_out := len(nodes) - len(kept):
        marks.append(_Mark(MORE, len(kept) - 1, f"+{left_out} more", "circle-open-dot", "var:faint", "var:faint"))
    return marks


def _order(path: Sequence[int]) -> Callable[[Node], tuple[bool, bool, float, int]]:
    """Who is drawn first: accepted nodes, then judged ones, then likely ones."""
    accepted = set(path)

    def rank(node: Node) -> tuple[bool, bool, float, int]:
        return node.id not in accepted, node.outcome in (None, "unreached"), -(node.path_score or 0.0), node.id

    return rank


def _mark(node: Node, parent: int) -> _Mark:
    if parent < 0:
        return _Mark(node.id, -1, short(node.text), "circle", "var:surface", "var:ink")
    base = next((SYMBOLS[s] for s in node.sources if s in SYMBOLS), RETRIEVED)
    crossed = base if base.startswith("triangle") else f"{base}-x"
    match node.outcome:
        case "strict_accept":
            return _Mark(node.id, parent, short(node.text), base, "var:accepted", "var:outline")
        case "relaxed_accept" | "fly_accept":
            mark = base if base.startswith("triangle") else f"{base}-cross"
            return _Mark(node.id, parent, f"≈ {short(node.text)}", mark, "var:relaxed", "var:outline")
        case "rejected":
            return _Mark(node.id, parent, f"✗ {short(node.text)}", crossed, "var:rejected", "var:outline")
        case "unreached":
            return _Mark(node.id, parent, short(node.text), f"{base}-open", "var:faint", "var:faint")
        case _:
            return _Mark(node.id, parent, short(node.text), f"{base}-open", "var:pending", "var:pending")


def _ink(fill: str) -> str:
    return {"var:faint": "var:muted", "var:pending": "var:muted", "var:rejected": "var:rejected-ink"}.get(
        fill, "var:ink"
    )


def _edges(
    marks: Sequence[_Mark], ends: Sequence[int], x: Sequence[float], y: Sequence[float], line: dict[str, Any]
) -> dict[str, Any]:
    """One trace for all edges of a style; a gap between them."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for i in ends:
        parent = marks[i].parent
        if x[i] < x[parent] and y[i] <= y[parent] - 1:  # a wrapped chain goes on in the next row
            xs += [x[parent], x[parent] + 0.45, None, x[i] - 0.45, x[i], None]
            ys += [y[parent], y[parent], None, y[i], y[i], None]
        else:
            xs += [x[parent], x[i], None]
            ys += [y[parent], y[i], None]
    return {"type": "scatter", "mode": "lines", "x": xs, "y": ys, "hoverinfo": "skip", "line": line}

"""RASD's three trees side by side: the drafter's, the retrieved one with what was pruned, and the fused one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from app.panels import Figure
from app.panels.labels import count, inert, short
from app.panels.panel import RoundPanel
from app.panels.room import WHOLE
from app.panels.tree_choice import telling
from app.panels.tree_layout import place
from respec_core.trace.round import ACCEPTS, RETRIEVED_SOURCES, Node, Step
from respec_core.trace.schema import Run, Token

MAX_DRAWN = 30  # nodes a tree; the draft-tree panel shows more
MAX_REASON = 200  # characters
COLUMN, ROW = 38, 20  # pixels
AIRY, AIRY_ROW = 10, 31  # up to so many rows there is room for labels between them
WIDTH, TIGHT = 7, 5  # characters of a label, and of one between others of a crowded tree
DRAFTER, RETRIEVAL, FUSED = "drafter", "retrieval", "fused"
TITLES = {DRAFTER: "Drafter", RETRIEVAL: "Retrieval", FUSED: "Fused and verified"}
ORIGINS = {"both": "by both", "retrieval": "by retrieval alone", "drafter": "by the drafter alone"}


class FusionTree(TypedDict):
    """One of the three; ``why`` says of pruned nodes, by id, why they were left out."""

    name: str
    title: str
    note: str
    figure: Figure
    why: dict[str, str]


class FusionView(TypedDict):
    """The trees, and who supplied the accepted tokens."""

    sentence: str
    trees: list[FusionTree]


def fusion_view(step: Step, room: int = WHOLE) -> FusionView | None:
    """Three figures, the reasons for what was pruned, and who supplied the accepted tokens.

    None for rounds that fused nothing.
    """
    drafter, retrieval, final = step.trees.drafter, step.trees.retrieval, step.trees.final
    if drafter is None or retrieval is None:
        return None
    accepted = [final[i].token for i in step.commit.path_node_ids]
    common = tokens_of_paths(drafter) & tokens_of_paths(retrieval)
    trees = [
        _tree(name, nodes, accepted, common, step, min(MAX_DRAWN, room // 3))
        for name, nodes in ((DRAFTER, drafter), (RETRIEVAL, retrieval), (FUSED, final))
    ]
    return {"sentence": supplied(origins(step)), "trees": trees}


def origins(step: Step) -> dict[str, int]:
    """How many accepted tokens only one side supplied, and how many both did."""
    counts = dict.fromkeys(ORIGINS, 0)
    for i in step.commit.path_node_ids:
        counts[origin(step.trees.final[i])] += 1
    return counts


def origin(node: Node) -> str:
    """``drafter``, ``retrieval`` or ``both``."""
    retrieved = bool(RETRIEVED_SOURCES & set(node.sources))
    drafted = bool(set(node.sources) - RETRIEVED_SOURCES)
    return "both" if retrieved and drafted else "retrieval" if retrieved else "drafter"


def supplied(counts: dict[str, int]) -> str:
    """One line about :func:`origins`."""
    total = sum(counts.values())
    if not total:
        return "No draft token was accepted."
    shares = ", ".join(f"{counts[name] or 'none'} {words}" for name, words in ORIGINS.items())
    return f"{count(total, 'accepted token')}: {shares}."


def fusion_total(run: Run) -> str:
    """The same line for a whole run; empty when it never fused."""
    rounds = [step for step in run.steps if step.trees.drafter is not None and step.trees.retrieval is not None]
    totals = dict.fromkeys(ORIGINS, 0)
    for step in rounds:
        for name, n in origins(step).items():
            totals[name] += n
    return f"Whole run: {supplied(totals)}" if rounds else ""


def reasons(nodes: Sequence[Node], step: Step) -> dict[int, str]:
    """Why each pruned node was left out, by node id."""
    hits = {hit.id: hit for hit in step.retrieval}
    found = {}
    for node in nodes:
        if node.kept:
            continue
        named = [hits[i].why for i in node.hit_ids if i in hits and hits[i].why]
        if node.pruned_by == "topk_first" and named:
            found[node.id] = named[0][:MAX_REASON]
        else:
            found[node.id] = {
                "topk_first": "its first token is not among the drafter's best",
                "rerank": "better nodes filled the drafter's tree",
            }.get(node.pruned_by or "", "better nodes filled the draft")
    return found


def tokens_of_paths(nodes: Sequence[Node]) -> set[tuple[int, ...]]:
    """The token path of every kept node below the root."""
    return {path for node, path in zip(nodes, _paths(nodes), strict=True) if node.kept and path}


def _paths(nodes: Sequence[Node]) -> list[tuple[int, ...]]:
    paths: dict[int, tuple[int, ...]] = {}
    for node in nodes:
        paths[node.id] = (*paths[node.parent], node.token) if node.parent in paths else ()
    return list(paths.values())


@dataclass(frozen=True)
class _Look:
    """How one node is drawn."""

    sign: str
    symbol: str
    fill: str
    line: str
    ink: str
    inner: bool = False  # a diamond inside the circle: both sides proposed it


def _tree(
    name: str, nodes: Sequence[Node], accepted: Sequence[int], common: set[tuple[int, ...]], step: Step, most: int
) -> FusionTree:
    paths = dict(zip((node.id for node in nodes), _paths(nodes), strict=True))
    good = {i for i, path in paths.items() if path == tuple(accepted[: len(path)])}
    shared = {i for i, path in paths.items() if path in common}
    drawn = _drawn(nodes, good | shared, most, show_pruned=name == RETRIEVAL)
    looks = [_look(name, node, node.id in good, node.id in shared) for node in drawn]
    figure = _figure(drawn, looks, good)
    title, note = TITLES[name], _sizes(name, nodes, len(drawn))
    figure["alt"] = f"{title}: {note}, {len(good) - 1} of them on the accepted path."
    why = {str(i): text for i, text in reasons(drawn, step).items()}
    return {"name": name, "title": title, "note": note, "figure": figure, "why": why}


def _sizes(name: str, nodes: Sequence[Node], drawn: int) -> str:
    sizes = len(nodes) - 1
    pruned = sum(not node.kept for node in nodes)
    if not sizes:
        return "nothing found" if name == RETRIEVAL else "no nodes"
    parts = [count(sizes, "node")]
    if pruned:
        parts.append(f"{pruned} pruned" if name == RETRIEVAL else f"{pruned} not sent")
    hidden = sizes - (drawn - 1) - (0 if name == RETRIEVAL else pruned)
    if hidden > 0:
        parts.append(f"best {drawn - 1} shown")
    return " · ".join(parts)


def _drawn(nodes: Sequence[Node], first: set[int], most: int, *, show_pruned: bool) -> list[Node]:
    """At most ``most`` nodes below the root: the telling ones, then the likely ones."""

    def rank(node: Node) -> tuple[bool, bool, bool, float, int]:
        judged = node.outcome in ACCEPTS | {"rejected"}
        return node.id not in first, not judged, not node.kept, -(node.path_score or 0.0), node.id

    return [node for node in telling(nodes, most, rank) if node.id == 0 or node.kept or show_pruned]


def _look(name: str, node: Node, good: bool, shared: bool) -> _Look:
    if node.parent < 0:
        return _Look("", "circle", "var:surface", "var:ink", "var:ink")
    if not node.kept:
        symbol = "diamond-open" if name == RETRIEVAL else "circle-open"
        return _Look("", symbol, "var:faint", "var:faint", "var:muted")
    side = origin(node) if name == FUSED else "both" if shared else name
    symbol, fill = {
        "drafter": ("circle", "var:accent"),
        "retrieval": ("diamond", "var:phase-retrieve"),
        "both": ("circle", "var:accent"),
    }[side]
    both = side == "both"
    if good:
        return _Look("✓" if name == FUSED else "", symbol, fill, "var:accepted", "var:ink", both)
    if node.outcome == "rejected":
        return _Look("✗", symbol, fill, "var:rejected", "var:rejected-ink", both)
    return _Look("", symbol, fill, "var:surface", "var:muted", both)


def _label(node: Node, look: _Look, leaf: bool, airy: bool) -> str:
    text = inert(f"{look.sign}{short(node.text, WIDTH if leaf or airy else TIGHT)}")
    return f" {text}" if leaf else text


def _beside(node: Node, leaf: bool, kids: int, siblings: int, airy: bool) -> str:
    """Where a label finds room: behind leaves, beside forks, in turn above and below the nodes of a chain."""
    if leaf:
        return "middle right"
    if node.parent < 0:
        return "bottom center"
    if kids > 1:
        return "top left"
    return "bottom center" if airy and siblings == 1 and node.depth % 2 else "top center"


BOTH = {"symbol": "diamond", "size": 8, "color": "var:phase-retrieve", "line": {"width": 1, "color": "var:surface"}}


def _figure(nodes: Sequence[Node], looks: Sequence[_Look], good: set[int]) -> Figure:
    index = {node.id: i for i, node in enumerate(nodes)}
    parents = [index.get(node.parent, -1) for node in nodes]
    at = place(parents)
    inner = set(parents)
    solid = [i for i, node in enumerate(nodes) if parents[i] >= 0 and node.id in good]
    ghost = [i for i, node in enumerate(nodes) if parents[i] >= 0 and not node.kept]
    plain = [i for i in range(len(nodes)) if parents[i] >= 0 and i not in {*solid, *ghost}]
    two = [i for i, look in enumerate(looks) if look.inner]  # from both
    leaf = [i not in inner and at.rows > 1 for i in range(len(nodes))]
    airy = at.rows <= AIRY
    sides = [_beside(n, leaf[i], parents.count(i), parents.count(parents[i]), airy) for i, n in enumerate(nodes)]

    def edges(ends: Sequence[int], line: dict[str, Any]) -> dict[str, Any]:
        xs = [x for i in ends for x in (at.x[parents[i]], at.x[i], None)]
        ys = [y for i in ends for y in (at.y[parents[i]], at.y[i], None)]
        return {"type": "scatter", "mode": "lines", "x": xs, "y": ys, "hoverinfo": "skip", "line": line}

    data = [
        edges(ghost, {"color": "var:faint", "width": 1, "dash": "dot"}),
        edges(plain, {"color": "var:line-strong", "width": 1.2}),
        edges(solid, {"color": "var:accepted", "width": 3}),
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": at.x,
            "y": at.y,
            "text": [_label(node, looks[i], leaf[i], airy) for i, node in enumerate(nodes)],
            "textposition": sides,
            "textfont": {"family": "var:mono", "size": 10, "color": [look.ink for look in looks]},
            "customdata": [node.id for node in nodes],
            "hoverinfo": "none",
            "cliponaxis": False,
            "marker": {
                "symbol": [look.symbol for look in looks],
                "size": [13 if look.inner else 9 for look in looks],
                "color": [look.fill for look in looks],
                "opacity": 1,
                "line": {"width": 1.6, "color": [look.line for look in looks]},
            },
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": [at.x[i] for i in two],
            "y": [at.y[i] for i in two],
            "hoverinfo": "skip",
            "cliponaxis": False,
            "marker": BOTH,
        },
    ]
    layout = {
        "height": max(96, at.rows * (AIRY_ROW if airy else ROW) + 44),
        "margin": {"l": 6, "r": 34, "t": 10, "b": 6},
        "xaxis": {"visible": False, "range": [-0.55, max(at.columns, 5) - 0.4]},
        "yaxis": {"visible": False, "range": [-at.rows + 0.1, 1.1]},
        "showlegend": False,
        "dragmode": "pan",
    }
    return {"data": data, "layout": layout, "min_width": at.columns * COLUMN + 40}


def _panel_view(step: Step, tokens: Sequence[Token], room: int) -> FusionView | None:
    return fusion_view(step, room)


PANEL = RoundPanel(
    id="fusion",
    title="Fusion",
    reads=("drafter", "retrieval"),
    view=_panel_view,
    total=fusion_total,
    module="fusion",
)

"""RASD's three trees side by side: the drafter's, the retrieved one with what was pruned, and the fused one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from app.panels.labels import count, short
from app.panels.panel import RoundPanel
from app.panels.room import WHOLE
from app.panels.tree import LABEL, Look, TreeMark, TreeView
from app.panels.tree_choice import telling
from respec_core.trace.round import ACCEPTS, RETRIEVED_SOURCES, Hit, Node, Step
from respec_core.trace.schema import Run, Token

MAX_DRAWN = 30  # nodes a tree; the draft-tree panel shows more
MAX_RANKS = 6  # told in the sentence
BOTH = "both"  # the source of what drafter and retrieval both proposed
DRAFTER, RETRIEVAL, FUSED = "drafter", "retrieval", "fused"
TITLES = {DRAFTER: "Drafter", RETRIEVAL: "Retrieval", FUSED: "Fused and verified"}
ORIGINS = {"both": "by both", "retrieval": "by retrieval alone", "drafter": "by the drafter alone"}


class FusionTree(TypedDict):
    """One of the three."""

    name: str
    title: str
    note: str
    tree: TreeView


class FusionView(TypedDict):
    """The trees, and who supplied the accepted tokens."""

    sentence: str
    trees: list[FusionTree]


def fusion_view(step: Step, room: int = WHOLE) -> FusionView | None:
    """Three trees, and who supplied the accepted tokens.

    None for rounds that fused nothing.
    """
    drafter, retrieval, final = step.trees.drafter, step.trees.retrieval, step.trees.final
    if drafter is None or retrieval is None:
        return None
    accepted = [final[i].token for i in step.commit.path_node_ids]
    common = tokens_of_paths(drafter) & tokens_of_paths(retrieval)
    trees = [
        _tree(name, nodes, accepted, common, min(MAX_DRAWN, room // 3))
        for name, nodes in ((DRAFTER, drafter), (RETRIEVAL, retrieval), (FUSED, final))
    ]
    told = [supplied(origins(step)), ranks_told(step.retrieval)]
    return {"sentence": " ".join(part for part in told if part), "trees": trees}


def ranks_told(hits: Sequence[Hit]) -> str:
    """Which ranks the retrieved first tokens have in the drafter's own guess; empty where nobody asked."""
    kept = {hit.first_rank for hit in hits if hit.first_rank is not None and hit.status != "drafter_pruned"}
    out = {hit.first_rank for hit in hits if hit.first_rank is not None and hit.status == "drafter_pruned"}
    unsaid = any(hit.first_rank is None and hit.status == "drafter_pruned" for hit in hits)
    told = [
        f"{_listed(kept)} kept" if kept else "",
        f"{_listed(out)} pruned" if out else "",
        "pruned: one it cannot say" if unsaid else "",
    ]
    said = ", ".join(part for part in told if part)
    return f"Ranks of the retrieved first tokens in the drafter's guess: {said}." if said else ""


def _listed(ranks: set[int]) -> str:
    shown = [str(rank) for rank in sorted(ranks)[:MAX_RANKS]]
    return ", ".join(shown) + (" …" if len(ranks) > MAX_RANKS else "")


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


def tokens_of_paths(nodes: Sequence[Node]) -> set[tuple[int, ...]]:
    """The token path of every kept node below the root."""
    return {path for node, path in zip(nodes, _paths(nodes), strict=True) if node.kept and path}


def _paths(nodes: Sequence[Node]) -> list[tuple[int, ...]]:
    paths: dict[int, tuple[int, ...]] = {}
    for node in nodes:
        paths[node.id] = (*paths[node.parent], node.token) if node.parent in paths else ()
    return list(paths.values())


def _tree(
    name: str, nodes: Sequence[Node], accepted: Sequence[int], common: set[tuple[int, ...]], most: int
) -> FusionTree:
    paths = dict(zip((node.id for node in nodes), _paths(nodes), strict=True))
    good = {i for i, path in paths.items() if path == tuple(accepted[: len(path)])}
    shared = {i for i, path in paths.items() if path in common}
    drawn = _drawn(nodes, good | shared, most, show_pruned=name == RETRIEVAL)
    index = {node.id: i for i, node in enumerate(drawn)}
    marks = [_mark(name, node, index.get(node.parent, -1), node.id in good, node.id in shared) for node in drawn]
    title, note = TITLES[name], _sizes(name, nodes, len(drawn))
    alt = f"{title}: {note}, {len(good) - 1} of them on the accepted path."
    tree: TreeView = {"marks": marks, "more": len(nodes) - len(drawn), "alt": alt}
    return {"name": name, "title": title, "note": note, "tree": tree}


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


def _mark(name: str, node: Node, parent: int, good: bool, shared: bool) -> TreeMark:
    text, sources = short(node.text, LABEL), node.sources or ("target",)
    side = origin(node) if name == FUSED else "both" if shared else name
    source = BOTH if parent >= 0 and side == "both" else sources[0]
    return {"id": node.id, "parent": parent, "text": text, "look": _look(name, node, good), "source": source}


def _look(name: str, node: Node, good: bool) -> Look:
    """Drafted trees have no outcomes: of those, what was accepted is told from what was sent and what was not."""
    if node.parent < 0:
        return "root"
    if name == FUSED:
        return node.outcome or "pending"
    return "strict_accept" if good else "sent" if node.kept else "pruned"


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

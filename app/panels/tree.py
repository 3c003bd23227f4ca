"""The draft tree of a round: accepted path, rejected and unreached nodes, and the token the target added itself.

Only what there is; where it goes is decided where it is drawn (``static/tree_layout.js``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypedDict

from app.panels.labels import count, short
from app.panels.room import WHOLE
from app.panels.tree_choice import telling
from respec_core.trace.round import Extra, Node, NodeOutcome, Step

MAX_DRAWN = 200
LABEL = 12  # characters
EXTRA = -1  # id of the target's own token, which is no draft node

Look = NodeOutcome | Literal["root", "pending", "correction", "bonus", "plain", "sent", "pruned"]


class TreeMark(TypedDict):
    """A node as drawn: ``parent`` is an index into the marks, ``source`` the first that proposed it."""

    id: int
    parent: int
    text: str
    look: Look
    source: str


class TreeView(TypedDict):
    """The marks, parents first and children in the drafter's order; how many nodes have none; all in one sentence."""

    marks: list[TreeMark]
    more: int
    alt: str


def step_tree(step: Step, extra_text: str, room: int = WHOLE) -> TreeView:
    """The round's tree."""
    return tree(step.trees.final, step.commit.extra, extra_text, step.commit.path_node_ids, room)


def tree(
    nodes: Sequence[Node], extra: Extra | None = None, text: str = "", path: Sequence[int] = (), room: int = WHOLE
) -> TreeView:
    """The marks of ``nodes``. Before verification they have no outcome and are pending.

    Args:
        extra: the token the target added below the accepted path, with its ``text``.
        path: accepted node ids, in order.
        room: most nodes that get a mark; the others are counted.
    """
    kept = telling(nodes, min(MAX_DRAWN, room) - 1, _order(path))
    index = {node.id: i for i, node in enumerate(kept)}
    marks = [_mark(node, index.get(node.parent, -1)) for node in kept]
    if extra is not None:
        below = next((index[node] for node in reversed(path) if node in index), 0)
        look: Look = "plain" if len(nodes) == 1 else extra.kind
        marks.append({"id": EXTRA, "parent": below, "text": short(text, LABEL), "look": look, "source": "target"})
    return {"marks": marks, "more": len(nodes) - len(kept), "alt": describe(nodes, extra, text, path)}


def describe(nodes: Sequence[Node], extra: Extra | None, text: str, path: Sequence[int]) -> str:
    """The tree in one sentence, for those who cannot see it."""
    drafted = len(nodes) - 1
    own = f"; the target added {text!r} itself ({extra.kind})" if extra else ""
    if drafted == 0:
        return f"No draft this round{own}."
    verdict = f", {len(path)} accepted" if extra or path else ", not verified yet"
    return f"Draft tree of {count(drafted, 'node')}{verdict}{own}."


def _order(path: Sequence[int]) -> Callable[[Node], tuple[bool, bool, float, int]]:
    """Who is drawn first: accepted nodes, then judged ones, then likely ones."""
    accepted = set(path)

    def rank(node: Node) -> tuple[bool, bool, float, int]:
        return node.id not in accepted, node.outcome in (None, "unreached"), -(node.path_score or 0.0), node.id

    return rank


def _mark(node: Node, parent: int) -> TreeMark:
    look: Look = "root" if parent < 0 else node.outcome or "pending"
    source = node.sources[0] if node.sources else "target"
    return {"id": node.id, "parent": parent, "text": short(node.text, LABEL), "look": look, "source": source}

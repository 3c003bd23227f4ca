"""``mask``: a draft tree and its attention mask: which nodes each node sees beside the committed text (arXiv 2305.09781)."""

from __future__ import annotations

from typing import Literal, TypedDict

from app.learn.recorded import telling_round
from app.learn.widget import Fields, Runs, Widget
from app.panels.labels import short
from app.panels.tree import TreeView, tree
from respec_core.errors import ReSpecError

MOST = 24  # rows that can still be read


class MaskFields(Fields):
    """Which round of which run; 0 is a telling one. ``nodes`` limits how many are shown."""

    trace: str
    round: int = 0
    nodes: int = 16


class MaskRow(TypedDict):
    """A node, and the rows that it sees: its ancestors and itself."""

    id: int
    text: str
    sees: list[int]


class MaskView(TypedDict):
    """The tree and its rows, parents first; ``committed`` is how many tokens every row sees besides."""

    kind: Literal["mask"]
    tree: TreeView
    rows: list[MaskRow]
    committed: int
    more: int
    title: str


def mask_view(fields: MaskFields, runs: Runs) -> MaskView:
    """The round's nodes, all pending: the mask is made before the target has spoken.

    Raises:
        ReSpecError: if there is no such round, or nothing was drafted in it.
    """
    step = telling_round(runs(fields.trace), fields.round).step
    if not 2 <= fields.nodes <= MOST:
        raise ReSpecError(f"A mask shows 2 to {MOST} nodes.")
    if len(step.trees.final) < 2:
        raise ReSpecError(f"Nothing was drafted in round {step.i + 1}: name another.")
    nodes = step.trees.final[: fields.nodes]
    sees: list[list[int]] = []
    for i, node in enumerate(nodes):
        sees.append([*(sees[node.parent] if node.parent >= 0 else []), i])
    pending = [node.model_copy(update={"outcome": None}) for node in nodes]
    return {
        "kind": "mask",
        "tree": tree(pending),
        "rows": [
            {"id": node.id, "text": short(node.text, 10), "sees": row} for node, row in zip(nodes, sees, strict=True)
        ],
        "committed": step.ctx_len,
        "more": len(step.trees.final) - len(nodes),
        "title": f"Round {step.i + 1}",
    }


WIDGET = Widget("mask", MaskFields, mask_view)

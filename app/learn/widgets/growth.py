"""``growth``: a draft tree level by level, what its reranking kept, and what the target took (EAGLE-2, arXiv 2406.16858 §4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypedDict

from app.learn.recorded import telling_round
from app.learn.widget import Fields, Runs, Widget
from app.panels.labels import count, short, visible
from app.panels.tree import LABEL, Look, TreeMark, TreeView
from app.panels.tree_choice import telling
from respec_core.errors import ReSpecError
from respec_core.trace.round import Node, Step

FEWEST, MOST = 8, 60  # nodes that can be drawn


class GrowthFields(Fields):
    """Which round of which run; 0 is a telling one. ``nodes`` limits how many are drawn."""

    trace: str
    round: int = 0
    nodes: int = 32


class GrowthStage(TypedDict):
    """The tree so far, and what has just happened."""

    label: str
    sentence: str
    tree: TreeView


class GrowthView(TypedDict):
    """A stage a level, then the reranking, the size where one was chosen, and the target's verdict."""

    kind: Literal["growth"]
    title: str
    stages: list[GrowthStage]


def growth_view(fields: GrowthFields, runs: Runs) -> GrowthView:
    """The stages of a round.

    Raises:
        ReSpecError: if there is no such round, or its reranking left nothing out.
    """
    step = telling_round(runs(fields.trace), fields.round).step
    if not FEWEST <= fields.nodes <= MOST:
        raise ReSpecError(f"A tree that grows is drawn with {FEWEST} to {MOST} nodes.")
    grown = step.trees.drafter
    if grown is None or not any(map(_dropped, grown)):
        raise ReSpecError(f"No reranking left anything out in round {step.i + 1}: name another.")
    path = _accepted(grown, step)
    drawn = _drawn(grown, path, fields.nodes)

    def stage(label: str, said: str, shown: Sequence[Node], look: Callable[[Node], Look]) -> GrowthStage:
        return {"label": label, "sentence": said, "tree": _tree(shown, look, len(grown), said)}

    stages = [
        stage(f"level {depth}", _level(grown, depth), [node for node in drawn if node.depth <= depth], _pending)
        for depth in range(1, 1 + max(node.depth for node in drawn))
    ]
    stages.append(stage("reranked", _reranked(grown), drawn, lambda node: "pruned" if _dropped(node) else "sent"))
    if any(not node.kept and not _dropped(node) for node in grown):
        stages.append(stage("sized", _sized(grown), drawn, _sent))
    judged = _judged(grown, path, step)
    stages.append(stage("judged", judged, drawn, lambda node: "strict_accept" if node.id in path else _sent(node)))
    return {"kind": "growth", "title": f"Round {step.i + 1}", "stages": stages}


def _dropped(node: Node) -> bool:
    return node.pruned_by == "rerank"


def _pending(node: Node) -> Look:
    return "pending"


def _sent(node: Node) -> Look:
    return "sent" if node.kept else "pruned"


def _level(grown: Sequence[Node], depth: int) -> str:
    new = [node for node in grown if node.depth == depth]
    where = "behind the text" if depth == 1 else f"below {count(len({node.parent for node in new}), 'node')} more"
    best = max(new, key=_confidence)
    return (
        f"The head guesses {where}; {len(new)} of the new nodes are in the record. The likeliest ends in ‘{visible(best.text)}’: "
        f"its path has a confidence of {_confidence(best):.2f}."
    )


def _reranked(grown: Sequence[Node]) -> str:
    kept, out = ([_confidence(node) for node in grown[1:] if _dropped(node) is drop] for drop in (False, True))
    return (
        f"Reranked by the confidence of whole paths, wherever they end: the best {len(kept)} stay, down to {min(kept):.3f}; "
        f"the best of what is left out has {max(out):.3f}."
    )


def _sized(grown: Sequence[Node]) -> str:
    sent = [_confidence(node) for node in grown[1:] if node.kept]
    return (
        f"Of these the {len(sent)} likeliest are sent, down to {min(sent):.2f}: a larger pass would cost more time here than its "
        "tokens save."
    )


def _judged(grown: Sequence[Node], path: Sequence[int], step: Step) -> str:
    missed = [node for node in grown if node.parent == path[-1] and not node.kept and _is_own(node, step)]
    own = f" Its own next token, ‘{visible(missed[0].text)}’, was among those left out." if missed else ""
    return f"The target takes {count(step.commit.n_accepted, 'node')} along one path.{own}"


def _is_own(node: Node, step: Step) -> bool:
    return step.commit.extra is not None and step.commit.extra.token == node.token


def _confidence(node: Node) -> float:
    return node.path_score or 0.0


def _accepted(grown: Sequence[Node], step: Step) -> list[int]:
    """The accepted path from the root on, in the drafter's own tree."""
    path = [0]
    for sent in step.commit.path_node_ids:
        token = step.trees.final[sent].token
        path += [node.id for node in grown if node.parent == path[-1] and node.token == token and node.kept][:1]
    return path


def _drawn(grown: Sequence[Node], path: Sequence[int], most: int) -> list[Node]:
    """The accepted path and what was sent, then as many of those that reranking kept as of those that it did not."""
    places = {node.id: 0 for node in grown if node.kept}
    for dropped in (False, True):
        some = [node for node in grown if not node.kept and _dropped(node) is dropped]
        places |= {node.id: place for place, node in enumerate(sorted(some, key=_confidence, reverse=True), 1)}
    return telling(grown, most, lambda node: (node.id not in path, places[node.id], -_confidence(node), node.id))


def _tree(shown: Sequence[Node], look: Callable[[Node], Look], grown: int, alt: str) -> TreeView:
    index = {node.id: i for i, node in enumerate(shown)}
    marks = [_mark(node, index.get(node.parent, -1), look(node)) for node in shown]
    return {"marks": marks, "more": grown - len(shown), "alt": alt}


def _mark(node: Node, parent: int, look: Look) -> TreeMark:
    source = node.sources[0] if node.sources else "target"
    look = "root" if parent < 0 else look
    return {"id": node.id, "parent": parent, "text": short(node.text, LABEL), "look": look, "source": source}


WIDGET = Widget("growth", GrowthFields, growth_view)

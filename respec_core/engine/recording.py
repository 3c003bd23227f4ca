"""A verified round as the trace records it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from respec_core.engine.drafting import Draft, Part
from respec_core.engine.pieces import Pieces
from respec_core.engine.probabilities import Opinions
from respec_core.engine.stopping import Cut
from respec_core.engine.tree import DraftTree
from respec_core.engine.verification import Verdict, outcomes
from respec_core.methods.diffuspec.record import lattice_record, length_record
from respec_core.trace.events import Committed
from respec_core.trace.schema import (
    DIFFUSION_SOURCE,
    Candidate,
    Commit,
    Decision,
    Extra,
    Hit,
    Node,
    PrunedBy,
    Step,
    Token,
    TokenOutcome,
    Trees,
)

# Records are built with model_construct: the values come from our own code, and validation would cost more than
# the round's bookkeeping itself.


def draft_nodes(
    tree: DraftTree, pieces: Pieces, pruned: Mapping[int, PrunedBy] = MappingProxyType({})
) -> tuple[Node, ...]:
    """The nodes of a tree before verification; those in ``pruned`` are marked as not kept."""
    return tuple(
        Node.model_construct(
            id=i,
            parent=tree.parents[i],
            depth=tree.depths[i],
            token=tree.tokens[i],
            text=pieces.piece(tree.tokens[i]),
            sources=tuple(sorted(tree.sources[i])),
            hit_ids=tree.hits[i],
            draft_p=tree.draft_p[i],
            path_score=tree.scores[i],
            kept=i not in pruned,
            pruned_by=pruned.get(i),
        )
        for i in range(len(tree))
    )


def round_record(
    i: int,
    ctx_len: int,
    decision: Decision,
    draft: Draft,
    drafted: tuple[Node, ...],
    hits: tuple[Hit, ...],
    verdict: Verdict,
    path: Sequence[int],
    cut: Cut,
    seen: Opinions,
    pieces: Pieces,
) -> Committed:
    """Step (phase times still empty) and tokens of a round.

    Args:
        drafted: the draft's nodes as they were before verification.
        path: accepted nodes that count after stops.
        cut: texts of the tokens that count, and the stop.
        seen: the target's opinions at the root and the accepted nodes, one row an emitted token.
    """
    tree = draft.tree
    emitted = ([tree.tokens[node] for node in verdict.path] + [verdict.extra])[: len(cut.texts)]
    tops = [_top(seen, row, pieces) for row in range(len(emitted))]
    nodes = _judged(tree, drafted, path, verdict, seen, tops)
    has_extra = len(emitted) > len(path)
    last = path[-1] if path else 0
    kind: Literal["correction", "bonus"] = "correction" if tree.children[last] else "bonus"
    own_outcome: TokenOutcome = "plain" if len(tree) == 1 else kind
    tokens = []
    for at, token in enumerate(emitted):
        ((p, rank),) = seen.of(at, [token])
        accepted = at < len(path)
        wish = verdict.wishes.get(path[at]) if accepted else None
        tokens.append(
            Token.model_construct(
                id=token,
                text=cut.texts[at],
                piece=pieces.piece(token),
                special=pieces.is_special(token),
                p=p,
                rank=rank,
                entropy=seen.entropy[at],
                decided_p=verdict.decided_p[at],
                top=tops[at],
                source="+".join(sorted(tree.sources[path[at]])) if accepted else "target",
                outcome=("relaxed_accept" if wish else "strict_accept") if accepted else own_outcome,
                round=i,
                wish=Candidate.model_construct(token=wish.token, text=pieces.piece(wish.token), p=wish.p)
                if wish
                else None,
            )
        )
    n_relaxed = sum(node in verdict.wishes for node in path)
    commit = Commit.model_construct(
        path_node_ids=tuple(path),
        n_accepted=len(path),
        n_strict=len(path) - n_relaxed,
        n_relaxed=n_relaxed,
        extra=Extra.model_construct(token=emitted[-1], kind=kind, p=tokens[-1].p) if has_extra else None,
        emitted_ids=tuple(emitted),
        stopped=cut.reason,
    )
    trees = Trees.model_construct(
        final=nodes,
        drafter=_part_nodes(draft.drafter_tree, tree, pieces),
        retrieval=_part_nodes(draft.retrieval_tree, tree, pieces),
    )
    step = Step.model_construct(
        i=i,
        ctx_len=ctx_len,
        phase_ms={},
        decision=decision,
        retrieval=hits,
        trees=trees,
        lattice=lattice_record(draft.lattice, pieces) if draft.lattice else None,
        adl=length_record(draft.length, tree.supplied(path, DIFFUSION_SOURCE)) if draft.length else None,
        commit=commit,
    )
    return Committed(step, tuple(tokens))


def _part_nodes(part: Part | None, final: DraftTree, pieces: Pieces) -> tuple[Node, ...] | None:
    """A part's nodes; what its drafter kept but the target did not get was cut by the budget."""
    if part is None:
        return None
    place = final.places_of(part.tree)
    cut: dict[int, PrunedBy] = {i: "budget" for i, at in enumerate(place) if at is None}
    return draft_nodes(part.tree, pieces, cut | dict(part.pruned))


def _judged(
    tree: DraftTree,
    drafted: tuple[Node, ...],
    path: Sequence[int],
    verdict: Verdict,
    seen: Opinions,
    tops: Sequence[tuple[Candidate, ...]],
) -> tuple[Node, ...]:
    """The tree's nodes with outcomes, and the target's opinion wherever it was asked."""
    judged: Mapping[int, tuple[float, int, int]] = {
        child: (p, rank, at)
        for at, node in enumerate([0, *path][: len(tops)])
        if (kids := tree.children[node])
        for child, (p, rank) in zip(kids, seen.of(at, [tree.tokens[k] for k in kids]), strict=True)
    }
    nodes = []
    for node, outcome in zip(drafted, outcomes(tree, path, verdict.wishes), strict=True):
        opinion = judged.get(node.id)
        if opinion is None and outcome == "rejected":
            outcome = "unreached"  # the run stopped before this node's turn
        values = {**node.__dict__, "outcome": outcome}
        if opinion is not None:
            p, rank, at = opinion
            values |= {"target_p": p, "target_rank": rank, "target_entropy": seen.entropy[at], "target_top": tops[at]}
            values["decided_p"] = verdict.judged_p.get(node.id)
        nodes.append(Node.model_construct(**values))
    return tuple(nodes)


def _top(seen: Opinions, row: int, pieces: Pieces) -> tuple[Candidate, ...]:
    return tuple(Candidate.model_construct(token=t, text=pieces.piece(t), p=p) for t, p in seen.top[row])

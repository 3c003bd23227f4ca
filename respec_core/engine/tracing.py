"""A verified round as it stands in the trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from respec_core.engine.drafting import Draft, Part
from respec_core.engine.look_ahead import Beyond, Dissent
from respec_core.engine.pieces import Pieces
from respec_core.engine.probabilities import Opinions
from respec_core.engine.stopping import Cut
from respec_core.engine.tree import DraftTree
from respec_core.engine.verification import Verdict, outcomes
from respec_core.trace.events import Committed
from respec_core.trace.record import Candidate
from respec_core.trace.round import Ahead, Commit, Decision, Extra, Hit, LossyOutcome, Miss, Node, PrunedBy, Step, Trees
from respec_core.trace.schema import Token, TokenOutcome

# Most records are built with model_construct, since the values come from our own code. Nodes, of which a round has many, are
# not: pydantic's own constructor and copies take half its time.


def draft_nodes(
    tree: DraftTree, pieces: Pieces, pruned: Mapping[int, PrunedBy] = MappingProxyType({})
) -> tuple[Node, ...]:
    """The nodes of a tree before verification; those in ``pruned`` are marked as not kept."""
    return tuple(
        Node(
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


@dataclass(frozen=True)
class Verified:
    """A round as the loop leaves it.

    Attributes:
        drafted: the draft's nodes as they were before verification.
        hits: the draft's hits, as they stand afterwards.
        path: accepted nodes that count after stops.
        cut: texts of the tokens that count, and the stop.
        seen: the target's opinions at the root and the accepted nodes, one row an emitted token.
        passed: what a token that passed by a lossy rule alone is called.
    """

    i: int
    ctx_len: int
    decision: Decision
    draft: Draft
    drafted: tuple[Node, ...]
    hits: tuple[Hit, ...]
    verdict: Verdict
    path: Sequence[int]
    cut: Cut
    seen: Opinions
    passed: LossyOutcome = "relaxed_accept"

    @property
    def emitted(self) -> list[int]:
        """Tokens that count: the path's, and the target's own where nothing stopped before it."""
        tokens = [self.draft.tree.tokens[node] for node in self.verdict.path] + [self.verdict.extra]
        return tokens[: len(self.cut.texts)]


def trace_round(done: Verified, pieces: Pieces) -> Committed:
    """Step (phase times still empty) and tokens of a round."""
    tops = [_candidates(done.seen.top[row], pieces) for row in range(len(done.emitted))]
    tokens = _tokens(done, tops, pieces)
    tree, draft = done.draft.tree, done.draft
    parts = {name: _part_nodes(part, tree, pieces) for name, part in draft.parts.items()}
    step = Step.model_construct(
        i=done.i,
        ctx_len=done.ctx_len,
        phase_ms={},
        decision=done.decision,
        retrieval=done.hits,
        trees=Trees.model_construct(
            final=_judged(done, tops, pieces), drafter=parts.get("drafter"), retrieval=parts.get("retrieval")
        ),
        records=dict(draft.extension.records(done.path, tree, pieces)) if draft.extension else {},
        commit=_commit(done, tokens),
    )
    return Committed(step, tokens)


def _commit(done: Verified, tokens: Sequence[Token]) -> Commit:
    n_relaxed = sum(node in done.verdict.wishes for node in done.path)
    own = tokens[-1] if len(tokens) > len(done.path) else None
    return Commit.model_construct(
        path_node_ids=tuple(done.path),
        n_accepted=len(done.path),
        n_strict=len(done.path) - n_relaxed,
        n_relaxed=n_relaxed,
        extra=Extra.model_construct(token=own.id, kind=_kind(done), p=own.p) if own else None,
        emitted_ids=tuple(token.id for token in tokens),
        stopped=done.cut.reason,
    )


def _kind(done: Verified) -> Literal["correction", "bonus"]:
    """What the target's own token is: it differs from every child that was drafted, or there was none."""
    last = done.path[-1] if done.path else 0
    return "correction" if done.draft.tree.children[last] else "bonus"


def _tokens(done: Verified, tops: Sequence[tuple[Candidate, ...]], pieces: Pieces) -> tuple[Token, ...]:
    tree, verdict, seen, path = done.draft.tree, done.verdict, done.seen, done.path
    own_outcome: TokenOutcome = "plain" if len(tree) == 1 else _kind(done)
    tokens = []
    for at, token in enumerate(done.emitted):
        ((p, rank),) = seen.of(at, [token])
        accepted = at < len(path)
        wish = verdict.wishes.get(path[at]) if accepted else None
        tokens.append(
            Token.model_construct(
                id=token,
                text=done.cut.texts[at],
                piece=pieces.piece(token),
                special=pieces.is_special(token),
                p=p,
                rank=rank,
                entropy=seen.entropy[at],
                decided_p=verdict.decided_p[at],
                top=tops[at],
                source="+".join(sorted(tree.sources[path[at]])) if accepted else "target",
                outcome=(done.passed if wish else "strict_accept") if accepted else own_outcome,
                round=done.i,
                wish=Candidate.model_construct(token=wish.token, text=pieces.piece(wish.token), p=wish.p)
                if wish
                else None,
            )
        )
    return tuple(tokens)


def _part_nodes(part: Part, final: DraftTree, pieces: Pieces) -> tuple[Node, ...]:
    """A part's nodes; what its drafter kept but the target did not get was cut by the budget."""
    place = final.places_of(part.tree)
    cut: dict[int, PrunedBy] = {i: "budget" for i, at in enumerate(place) if at is None}
    return draft_nodes(part.tree, pieces, cut | dict(part.pruned))


def _judged(done: Verified, tops: Sequence[tuple[Candidate, ...]], pieces: Pieces) -> tuple[Node, ...]:
    """The tree's nodes with outcomes, and the target's opinion wherever it was asked."""
    tree, path, seen = done.draft.tree, done.path, done.seen
    judged: Mapping[int, tuple[float, int, int]] = {
        child: (p, rank, at)
        for at, node in enumerate([0, *path][: len(tops)])
        if (kids := tree.children[node])
        for child, (p, rank) in zip(kids, seen.of(at, [tree.tokens[k] for k in kids]), strict=True)
    }
    whole = len(done.emitted) > len(path)  # else a stop cut the path, and what lies below was not looked at
    ahead = done.verdict.ahead if whole else {}
    nodes = []
    for node, outcome in zip(done.drafted, outcomes(tree, path, done.verdict.wishes, done.passed), strict=True):
        opinion = judged.get(node.id)
        if opinion is None and outcome == "rejected":
            outcome = "unreached"  # the run stopped before this node's turn
        values: dict[str, Any] = {"outcome": outcome}
        if opinion is not None:
            p, rank, at = opinion
            values |= {"target_p": p, "target_rank": rank, "target_entropy": seen.entropy[at], "target_top": tops[at]}
            values["decided_p"] = done.verdict.judged_p.get(node.id)
        if (beyond := ahead.get(node.id)) is not None:
            values["ahead"] = _ahead(beyond, pieces)
        nodes.append(node.model_copy(update=values))
    return tuple(nodes)


def _ahead(beyond: Beyond, pieces: Pieces) -> Ahead:
    match beyond.miss:
        case None:
            miss = None
        case Dissent(p=None, best=best):
            miss = Miss.model_construct(best=best)
        case Dissent(token, best, p, entropy):
            miss = Miss.model_construct(best=best, p=p, entropy=entropy, text=pieces.piece(token))
    return Ahead.model_construct(agrees=beyond.agrees, miss=miss)


def _candidates(ranked: Sequence[tuple[int, float]], pieces: Pieces) -> tuple[Candidate, ...]:
    return tuple(Candidate.model_construct(token=t, text=pieces.piece(t), p=p) for t, p in ranked)

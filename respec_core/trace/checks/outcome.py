"""What became of every node and token: fully determined by the accepted path and by what was emitted."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.checks.reading import Judgement, Reading, RoundReading
from respec_core.trace.round import LOSSY_ACCEPTS, Node, NodeOutcome
from respec_core.trace.schema import Token, TokenOutcome


def outcome_problems(reading: Reading) -> Iterator[str]:
    """Outcomes, sources and probabilities that path, tree and tokens contradict."""
    for round in reading.rounds:
        problems = (
            *_root(reading, round),
            *_nodes(reading, round),
            *_counts(round),
            *_tokens(round, reading.run.tokens[-1]),
        )
        yield from (f"{round.where}: {problem}" for problem in problems)


def _root(reading: Reading, round: RoundReading) -> Iterator[str]:
    root, last = round.nodes[0], reading.ids[round.step.ctx_len - 1]
    if root.token != last:
        yield f"the root is token {root.token}, the context ends with {last}"
    if root.sources or root.hit_ids or root.draft_p is not None or root.outcome is not None or _asked(root):
        yield "the root is a drafted or judged node"
    if root.path_score not in (None, 1.0):
        yield "the root's path score is not 1"


def _nodes(reading: Reading, round: RoundReading) -> Iterator[str]:
    judged = {child.id for row in round.rows for child in row.children}
    relaxed = {row.taken.id for row in round.rows if row.taken is not None and row.token.wish is not None}
    path = set(round.step.commit.path_node_ids)
    passed = LOSSY_ACCEPTS.get(reading.config.verify.rule)
    for node in round.nodes[1:]:
        expected: NodeOutcome | None = "unreached"
        if node.id in path:
            expected = passed if node.id in relaxed else "strict_accept"
        elif node.id in judged:
            expected = "rejected"
        if node.outcome != expected:
            yield f"node {node.id} is {node.outcome}, should be {expected}"
        if _asked(node) != (node.id in judged):
            yield f"node {node.id} has {'no ' * (node.id in judged)}opinion of the target"
        if node.id not in judged and node.target_top:
            yield f"node {node.id} has an opinion of the target"


def _asked(node: Node) -> bool:
    """Whether the target's numbers are there (all of them, or one too many)."""
    return any(value is not None for value in (node.target_p, node.target_rank, node.target_entropy))


def _counts(round: RoundReading) -> Iterator[str]:
    commit = round.step.commit
    relaxed = sum(node.outcome in LOSSY_ACCEPTS.values() for node in round.path)
    if commit.n_relaxed != relaxed:
        yield f"n_relaxed is {commit.n_relaxed} but {relaxed} accepted nodes are relaxed"
    if commit.extra is None:
        return
    last = round.rows[-1]
    kind = "correction" if last.children else "bonus"
    if commit.extra.kind != kind:
        yield f"the extra token is called {commit.extra.kind}, should be {kind}"
    if (commit.extra.token, commit.extra.p) != (last.token.id, last.token.p):
        yield "the extra token is not the last token"


def _tokens(round: RoundReading, last: Token) -> Iterator[str]:
    for row in round.rows:
        token, where = row.token, f"token {row.at}"
        if row.taken is None:
            source = "target"
            extra = round.step.commit.extra
            outcome: TokenOutcome | None = "plain" if len(round.nodes) == 1 else extra.kind if extra else None
        else:
            source, outcome = "+".join(row.taken.sources), row.taken.outcome  # type: ignore[assignment]
        if token.source != source:
            yield f"{where} is from {token.source}, should be {source}"
        if token.outcome != outcome:
            yield f"{where} is {token.outcome}, should be {outcome}"
        if (token.wish is not None) != (token.outcome in LOSSY_ACCEPTS.values()):
            yield f"{where} is {token.outcome} {'with' if token.wish else 'without'} a wish of the strict rule"
        if token.special and token.text and token is not last:
            yield f"{where} is special but adds text"
        yield from _same_opinion(row)


def _same_opinion(row: Judgement) -> Iterator[str]:
    """A row has one opinion: the token's and that of every child judged by it."""
    token = row.token
    for child in row.children:
        if child.target_entropy != token.entropy:
            yield f"node {child.id}: the target's entropy is not that of token {row.at}"
        if child.target_top != token.top:
            yield f"node {child.id}: the target's best tokens are not those of token {row.at}"
        if child.token == token.id and (child.target_p, child.target_rank) != (token.p, token.rank):
            yield f"node {child.id}: the target's probability or rank is not that of token {row.at}"

"""Probabilities, ranks and entropies of a row of the target's fit one distribution."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from respec_core.trace.checks.reading import Judgement, Reading
from respec_core.trace.record import Candidate

SUM_TOLERANCE = 1e-4  # of float32 probabilities
ENTROPY_TOLERANCE = 5e-3  # nats, of float32 logits


def opinion_problems(reading: Reading) -> Iterator[str]:
    """Numbers that no distribution could have."""
    for round in reading.rounds:
        for row in round.rows:
            yield from (f"{round.where}, token {row.at}: {problem}" for problem in _row(row, reading.vocab))


def _row(row: Judgement, vocab: int | None) -> Iterator[str]:
    top = row.token.top
    p = [candidate.p for candidate in top]
    if not top:
        yield "the target's best tokens are missing"
        return
    if not all(0 <= x <= 1 for x in p) or p != sorted(p, reverse=True) or sum(p) > 1 + SUM_TOLERANCE:
        yield "the target's best tokens are no probabilities in order"
        return
    if len({candidate.token for candidate in top}) < len(top):
        yield "the target's best tokens name one twice"
    asked = [(row.token.id, row.token.p, row.token.rank)]
    asked += [
        (child.token, child.target_p, child.target_rank)
        for child in row.children
        if child.target_p is not None and child.target_rank is not None
    ]
    for token, probability, rank in asked:
        yield from _placed(token, probability, rank, top, vocab)
    yield from _ordered(asked, len(top))
    low, high = entropy_bounds(p, vocab)
    if not low - ENTROPY_TOLERANCE <= row.token.entropy <= high + ENTROPY_TOLERANCE:
        yield f"entropy {row.token.entropy:.4f} is outside {low:.4f} … {high:.4f}, which the best tokens leave"


def _placed(token: int, p: float, rank: int, top: Sequence[Candidate], vocab: int | None) -> Iterator[str]:
    known = next(((i, c.p) for i, c in enumerate(top, 1) if c.token == token), None)
    if known is not None:
        if (rank, p) != known:
            yield f"token {token} has p {p:.4g} and rank {rank}, but is number {known[0]} with {known[1]:.4g}"
        return
    rest = max(0.0, 1 - sum(c.p for c in top)) + SUM_TOLERANCE
    above = sum(c.p > p for c in top)
    if not 0 <= p <= min(top[-1].p, rest):
        yield f"token {token} has p {p:.4g}, which the best tokens do not leave"
    elif rank <= above or (vocab is not None and rank > vocab) or (rank - 1 - above) * p > rest + p * len(top):
        yield f"token {token} cannot have rank {rank} with p {p:.4g}"


def _ordered(asked: Sequence[tuple[int, float, int]], named: int) -> Iterator[str]:
    """The likelier token has the smaller rank; beyond the ``named`` best, equals share one."""
    by_rank = sorted({(rank, -p, token) for token, p, rank in asked})
    for (rank, p, token), (below, q, other) in pairwise(by_rank):
        if -p < -q or (rank == below and token != other and p != q) or (rank > named and p == q and rank != below):
            yield f"tokens {token} and {other} have ranks {rank} and {below} but p {-p:.4g} and {-q:.4g}"


def entropy_bounds(top: Sequence[float], vocab: int | None) -> tuple[float, float]:
    """Least and most entropy in nats of a distribution over ``vocab`` tokens with these best probabilities."""
    head = sum(-p * math.log(p) for p in top if p > 0)
    rest, others = max(0.0, 1 - sum(top)), (vocab or 0) - len(top)
    if vocab is not None and others <= 0:
        return head, head
    if rest == 0:
        return head, head
    least = head + rest * -math.log(max(min(top[-1], 1.0), 1e-30))
    most = math.inf if vocab is None else head + rest * math.log(others / rest)
    return min(least, most), most

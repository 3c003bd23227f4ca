"""Every token is the one that the rule would have taken: argmax, sample within the cut distribution, or relaxed pass."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.checks.processed import bounds, possible
from respec_core.trace.checks.reading import Judgement, Reading, RoundReading
from respec_core.trace.schema import Token

RELATIVE = 2e-3  # a softmax of other shape, in float32
ABSOLUTE = 1e-6


def verdict_problems(reading: Reading) -> Iterator[str]:
    """Tokens that should not have been taken, and nodes that should."""
    for round in reading.rounds:
        for row in round.rows:
            problems = (
                *_followed(reading, row),
                *(_greedy(reading, row) if reading.config.greedy else _sampled(reading, round, row)),
            )
            yield from (f"{round.where}, token {row.at}: {problem}" for problem in problems)


def _followed(reading: Reading, row: Judgement) -> Iterator[str]:
    """A child that carries the strict token is the one accepted, unless another led further."""
    if row.token.wish is not None and reading.config.verify.relax_path == "longest":
        return
    if not reading.config.greedy and reading.traits.transfers(reading.params):
        return  # what was pulled down and rejected may be drawn all the same
    wanted = row.token.wish.token if row.token.wish is not None else row.token.id
    child = next((child for child in row.children if child.token == wanted), None)
    strict = row.taken if row.token.wish is None else None
    if child is not None and child is not strict:
        yield f"node {child.id} carries the target's own token but was not accepted"


def _greedy(reading: Reading, row: Judgement) -> Iterator[str]:
    token = row.token
    if token.decided_p is not None or any(child.decided_p is not None for child in row.children):
        yield "decided_p although the target's token is an argmax"
    wanted, p = (token.wish.token, token.wish.p) if token.wish is not None else (token.id, token.p)
    if reading.config.sampling.repetition_penalty == 1:
        if token.top and p < token.top[0].p * (1 - RELATIVE * (token.wish is not None)):
            yield f"token {wanted} (p {p:.4g}) was taken for the argmax, which is {token.top[0].token}"
        if token.wish is not None and not any(c.token == wanted and _near(c.p, p) for c in token.top):
            yield "the wish is not among the target's best, or has another probability there"
        return
    rival = _rival(reading, row, wanted, p)
    if token.wish is None and rival is not None:
        yield f"token {wanted} (p {p:.4g}) was taken although {rival} is likelier and as much penalised"


def _rival(reading: Reading, row: Judgement, wanted: int, p: float) -> int | None:
    """A likelier token that the repetition penalty cannot have put behind ``wanted``."""
    seen = set(reading.ids[: row.at])
    raises = reading.config.sampling.repetition_penalty < 1
    # the penalty keeps the order of seen tokens, and moves them all one way against the unseen
    comparable = (
        candidate
        for candidate in row.token.top
        if (candidate.token in seen) == (wanted in seen) or (wanted in seen) != raises
    )
    return next((c.token for c in comparable if c.p > p and c.token != wanted), None)


def _sampled(reading: Reading, round: RoundReading, row: Judgement) -> Iterator[str]:
    token, settings = row.token, reading.config.sampling
    if token.decided_p is None:
        yield "no decided_p although the token was sampled"
        return
    judged = [(token.id, token.p, token.rank, token.decided_p)]
    compared = reading.sampled(round) and not reading.traits.transfers(reading.params)
    for child in row.children:
        if child.decided_p is None or child.target_p is None or child.target_rank is None:
            continue  # traces recorded before have none
        judged.append((child.token, child.target_p, child.target_rank, child.decided_p))
        if child is row.taken and child.decided_p != token.decided_p:
            yield f"node {child.id}: decided_p is not the token's"
        ratio = compared and child.outcome == "rejected" and child.draft_p is not None
        if ratio and child.decided_p >= (child.draft_p or 0.0) * (1 + RELATIVE) + ABSOLUTE:
            yield f"node {child.id} was rejected although the target finds it likelier than the drafter did"
    if sum({identity: decided for identity, _, _, decided in judged}.values()) > 1 + RELATIVE:
        yield "decided probabilities add up to more than 1"
    if settings.repetition_penalty != 1 or not token.top:
        if any(not 0 <= decided <= 1 + ABSOLUTE for *_, decided in judged):
            yield "decided_p is no probability"
        return
    best = [candidate.p for candidate in token.top]
    for identity, p, _, decided in judged:
        low, high = bounds(p, best, reading.vocab, settings)
        cut = decided == 0 and (settings.top_k > 0 or settings.top_p < 1)
        if not (cut or low * (1 - RELATIVE) - ABSOLUTE <= decided <= high * (1 + RELATIVE) + ABSOLUTE):
            yield f"token {identity} was decided with {decided:.4g}, outside {low:.4g} … {high:.4g}"
    if token.wish is None and (
        token.decided_p <= 0 or not possible(token.p, token.rank, best, reading.vocab, settings)
    ):
        yield f"token {token.id} was sampled although top-k or top-p leave it out"
    yield from _wish(token)


def _wish(token: Token) -> Iterator[str]:
    if token.wish is not None and not 0 < token.wish.p <= 1 + ABSOLUTE:
        yield "the wish has no probability"


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= RELATIVE * max(a, b) + ABSOLUTE

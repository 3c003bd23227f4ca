"""FLy (arXiv 2511.22972): along the chain of every round, the accepted prefix is the rule's."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.chains import Chain, chain_below, chain_of
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.fly import top_entropy
from respec_core.trace.rule_estimate import fly_gate

TOLERANCE = 1e-3  # nats, of float32 logits


def fly_problems(reading: Reading) -> Iterator[str]:
    """Mismatches that passed against the rule, and such as it lets pass but were rejected."""
    if reading.config.verify.rule != "fly":
        return
    if not reading.config.greedy:
        yield "FLy with samples: it is a rule for temperature 0"
    for round in reading.rounds:
        yield from (f"{round.where}: {problem}" for problem in (*_alone(round), *_passed(reading, round)))
        chain = chain_of(round.step, round.tokens)
        if chain is not None:
            yield from (f"{round.where}: {problem}" for problem in _prefix(reading, round, chain))


def _alone(round: RoundReading) -> Iterator[str]:
    """From the first mismatch on there is one chain."""
    first = next((row for row in round.rows if row.token.wish is not None), None)
    if first is not None and chain_below(round.nodes, first.node) is None:
        yield "a mismatch passed where the draft branches"


def _passed(reading: Reading, round: RoundReading) -> Iterator[str]:
    verify = reading.config.verify
    cut = round.step.commit.extra is None
    for at, row in enumerate(round.rows):
        if row.token.wish is None:
            continue
        behind = round.rows[at + 1 : at + 1 + verify.fly_window]
        agree = [one.taken is not None and one.token.wish is None for one in behind]
        if not all(agree) or (len(agree) < verify.fly_window and not cut):
            yield f"the mismatch at token {row.at} passed without {verify.fly_window} agreeing decisions behind it"
        gate = top_entropy(candidate.p for candidate in row.token.top[: verify.fly_top_k])
        if gate < verify.fly_entropy - TOLERANCE:
            yield f"the mismatch at token {row.at} passed at {gate:.3f} nats, below {verify.fly_entropy:g}"
        for token in (row.token.id, row.token.wish.token):
            if token in reading.ends or token in reading.special:
                yield f"token {token} may pass by the strict rule only"


def _prefix(reading: Reading, round: RoundReading, chain: Chain) -> Iterator[str]:
    verify, n = reading.config.verify, len(round.path)
    if n < len(chain.judged) and not chain.strip.agrees[n] and chain.strip.deferred(n, verify.fly_window):
        gate = fly_gate(chain.judged[n], verify)
        if gate > verify.fly_entropy + TOLERANCE:
            yield f"the mismatch at node {chain.judged[n].node.id} was rejected although FLy lets it pass"

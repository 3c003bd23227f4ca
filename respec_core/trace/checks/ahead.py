"""What the target would have gone on to say: only down the one chain below a rejected token, as far as is looked, and possible."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.chains import chain_below
from respec_core.trace.checks.opinion import ENTROPY_TOLERANCE, SUM_TOLERANCE, entropy_bounds
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import MISSES_AHEAD, Miss, Node


def ahead_problems(reading: Reading) -> Iterator[str]:
    """Decisions where none can have been made, gaps, and opinions that no distribution could have."""
    verify = reading.config.verify
    looks = verify.looks_ahead and (
        verify.look_ahead
        or verify.rule == "fly"
        or any(node.ahead is not None for round in reading.rounds for node in round.nodes)  # older relaxed runs do not
    )
    for round in reading.rounds:
        expected = _looked_at(reading, round) if looks else ()
        named = len(round.tokens[-1].top)
        ids = {node.id for node in expected}
        for node in round.nodes:
            if (node.ahead is not None) != (node.id in ids):
                yield f"{round.where}: node {node.id} has {'no ' * (node.id in ids)}decision of the target ahead"
        for node in expected:
            if node.ahead is not None:
                yield from (
                    f"{round.where}, node {node.id}: {said}" for said in _decision(reading, node, expected[0], named)
                )


def _looked_at(reading: Reading, round: RoundReading) -> tuple[Node, ...]:
    """The nodes whose decisions are looked at: to the end of the chain, to the last mismatch that counts, or to a token
    that ends or steers a text, which only of the first node is known."""
    path, extra = round.step.commit.path_node_ids, round.step.commit.extra
    if not reading.config.greedy or reading.config.sampling.repetition_penalty != 1 or extra is None:
        return ()
    chain = chain_below(round.nodes, path[-1] if path else 0) or ()
    misses = 0
    for n, node in enumerate(chain):
        if node.ahead is None:
            return chain[: n or {node.token, extra.token} <= reading.ordinary]
        misses += not node.ahead.agrees
        if misses == MISSES_AHEAD:
            return chain[: n + 1]
    return chain


def _decision(reading: Reading, node: Node, first: Node, named: int) -> Iterator[str]:
    ahead = node.ahead
    assert ahead is not None
    if node is first and (ahead.agrees or ahead.miss is not None):
        yield "it was rejected, so the target does not agree, and its opinion stands elsewhere"
    elif node is not first and ahead.agrees == (ahead.miss is not None):
        yield "an opinion although the target agrees, or none although it does not"
    if ahead.miss is not None:
        yield from _miss(ahead.miss, named, reading.vocab)


def _miss(miss: Miss, named: int, vocab: int | None) -> Iterator[str]:
    best = miss.best
    if not best or len(best) != named or sorted(best, reverse=True) != list(best) or sum(best) > 1 + SUM_TOLERANCE:
        yield f"the target's {named} largest probabilities are none, or not in order"
        return
    if miss.p is None or miss.entropy is None or miss.text is None:
        if (miss.p, miss.entropy, miss.text) != (None, None, None):
            yield "of p, entropy and text some are there and some are not"
        return
    if miss.p not in best[1:]:
        yield f"the drafted token's p {miss.p:.4g} is none of the largest behind the target's own"
    low, high = entropy_bounds(best, vocab)
    if not low - ENTROPY_TOLERANCE <= miss.entropy <= high + ENTROPY_TOLERANCE:
        yield f"entropy {miss.entropy:.4f} is outside {low:.4f} … {high:.4f}, which the largest probabilities leave"

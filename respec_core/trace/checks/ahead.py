"""What the target would have gone on to say: only down the one chain below a rejected token, as far as is looked, and possible."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.chains import chain_below
from respec_core.trace.checks.opinion import distribution_problems
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.record import Candidate
from respec_core.trace.round import MISSES_AHEAD, Miss, Node


def ahead_problems(reading: Reading) -> Iterator[str]:
    """Decisions where none can have been made, gaps, and opinions that no distribution could have."""
    looks = any(node.ahead is not None for round in reading.rounds for node in round.nodes)  # older traces do not
    for round in reading.rounds:
        expected = _looked_at(reading, round) if looks else ()
        ids = {node.id for node in expected}
        for node in round.nodes:
            if (node.ahead is not None) != (node.id in ids):
                yield f"{round.where}: node {node.id} has {'no ' * (node.id in ids)}decision of the target ahead"
        for node in expected:
            if node.ahead is not None:
                yield from (f"{round.where}, node {node.id}: {said}" for said in _decision(reading, node, expected[0]))


def _looked_at(reading: Reading, round: RoundReading) -> tuple[Node, ...]:
    """The nodes whose decisions are looked at: to the end of the chain, or to the last mismatch that counts."""
    path = round.step.commit.path_node_ids
    if not reading.config.greedy or reading.config.sampling.repetition_penalty != 1 or round.step.commit.extra is None:
        return ()
    chain = chain_below(round.nodes, path[-1] if path else 0) or ()
    misses = 0
    for n, node in enumerate(chain, 1):
        misses += node.ahead is not None and not node.ahead.agrees
        if misses == MISSES_AHEAD:
            return chain[:n]
    return chain


def _decision(reading: Reading, node: Node, first: Node) -> Iterator[str]:
    ahead = node.ahead
    assert ahead is not None
    if node is first and (ahead.agrees or ahead.miss is not None):
        yield "it was rejected, so the target does not agree, and its opinion stands elsewhere"
    elif node is not first and ahead.agrees == (ahead.miss is not None):
        yield "an opinion although the target agrees, or none although it does not"
    closes = node.token in reading.ends or node.token in reading.special
    if closes and not ahead.closed:
        yield "its token closes a text, which is not said"
    wanted = node.token if ahead.miss is None else ahead.miss.token
    if ahead.closed and node is not first and {node.token, wanted} <= reading.ordinary:
        yield "it closes no text"
    if ahead.miss is not None:
        yield from _miss(reading, node, ahead.miss)


def _miss(reading: Reading, node: Node, miss: Miss) -> Iterator[str]:
    if miss.token == node.token:
        yield "the target wants the drafted token, which it is said not to"
        return
    places: list[int | None] = [None] * len(miss.best)
    if 0 < miss.rank <= len(places):
        places[miss.rank - 1] = node.token
    own = next((i for i, token in enumerate(places) if token is None and miss.best[i] == miss.best[0]), None)
    if own is None:
        yield "the target's own token is not the likeliest"
        return
    places[own] = miss.token
    top = [
        Candidate.model_construct(token=-1 - i if token is None else token, text="", p=p)
        for i, (token, p) in enumerate(zip(places, miss.best, strict=True))
    ]
    yield from distribution_problems([(node.token, miss.p, miss.rank)], top, miss.entropy, reading.vocab)

"""A recorded round as one drafted chain with the target's decision about each token: what every rule goes by.

Accepted nodes have their decision in the round's tokens, the rejected one in its own record, those below it in ``ahead``.
Imports no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from respec_core.trace.fly import Strip
from respec_core.trace.record import Candidate
from respec_core.trace.round import Node, Step
from respec_core.trace.schema import Token


@dataclass(frozen=True)
class Judged:
    """A drafted token and the target's decision about it.

    Attributes:
        wanted: the target's own token, with its probability, where that is another.
        closed: whether one of both ends or steers a text.
        p, rank, entropy, top: the target's opinion; None and empty where it agrees and was not asked for more.
    """

    node: Node
    wanted: Candidate | None
    closed: bool
    p: float | None = None
    rank: int | None = None
    entropy: float | None = None
    top: tuple[float, ...] = ()


@dataclass(frozen=True)
class Chain:
    """Decisions from the root down.

    Attributes:
        whole: whether they go on to the end of the draft; else what follows is not known.
    """

    judged: tuple[Judged, ...]
    whole: bool

    @cached_property
    def strip(self) -> Strip:
        """The decisions alone."""
        return Strip(tuple(j.wanted is None for j in self.judged), tuple(j.closed for j in self.judged))


def chain_of(step: Step, tokens: Sequence[Token]) -> Chain | None:
    """The round's chain; None where the draft branches below the accepted path, a stop cut it, or nothing was recorded.

    Args:
        tokens: those that the round committed.
    """
    nodes, path = step.trees.final, step.commit.path_node_ids
    if len(nodes) == 1 or step.commit.extra is None or len(tokens) != len(path) + 1:
        return None
    judged = [_accepted(nodes[i], token) for i, token in zip(path, tokens, strict=False)]
    below = chain_below(nodes, path[-1] if path else 0)
    if below is None or (below and below[0].ahead is None):
        return None
    seen = [node for node in below if node.ahead is not None]
    judged += [_beyond(node, tokens[-1]) for node in seen]
    return Chain(tuple(judged), len(seen) == len(below))


def chain_below(nodes: Sequence[Node], end: int) -> tuple[Node, ...] | None:
    """The one path below node ``end``, empty where that is a leaf; None where the tree branches there."""
    chain: list[Node] = []
    for node in nodes[end + 1 :]:  # parents come before their children
        if node.parent == (chain[-1].id if chain else end):
            chain.append(node)
        elif node.parent in (end, *(above.id for above in chain)):
            return None
    return tuple(chain)


def _accepted(node: Node, token: Token) -> Judged:
    top = tuple(candidate.p for candidate in token.top)
    return Judged(node, token.wish, token.special, token.p, token.rank, token.entropy, top)


def _beyond(node: Node, own: Token) -> Judged:
    """A node that was not accepted; ``own`` is the target's token in place of the first."""
    ahead = node.ahead
    assert ahead is not None
    if ahead.agrees:
        return Judged(node, None, ahead.closed)
    if ahead.miss is None:
        wanted = Candidate(token=own.id, text=own.piece, p=own.p)
        top = tuple(candidate.p for candidate in node.target_top)
        return Judged(node, wanted, ahead.closed, node.target_p, node.target_rank, node.target_entropy, top)
    miss = ahead.miss
    wanted = Candidate(token=miss.token, text=miss.text, p=miss.best[0] if miss.best else 0.0)
    return Judged(node, wanted, ahead.closed, miss.p, miss.rank, miss.entropy, miss.best)

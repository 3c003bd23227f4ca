"""A recorded round as one drafted chain with the target's decision about each token: what every rule goes by.

Accepted nodes have their decision in the round's tokens, the rejected one in its own record, those below it in ``ahead``.
Imports no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from respec_core.trace.fly import Strip
from respec_core.trace.round import Node, Step
from respec_core.trace.schema import Token


@dataclass(frozen=True)
class Opinion:
    """The target's, where it disagrees with the draft.

    Attributes:
        best: the largest probabilities, its own first.
        p: of the drafted token.
        text: its own token's. Like p and entropy None where it was not asked and the drafted token is not among the best.
    """

    best: tuple[float, ...]
    p: float | None
    entropy: float | None
    text: str | None

    @property
    def rank(self) -> int | None:
        """Of the drafted token; of equals the target's own comes first. None beyond the best."""
        if not self.best or self.p is None or self.p < self.best[-1]:
            return None
        p = self.p
        return 1 + sum(share > p for share in self.best) + (p == self.best[0])


@dataclass(frozen=True)
class Judged:
    """A drafted token and the target's decision about it.

    Attributes:
        miss: None where the target agrees.
        closed: whether the token ends or steers a text.
    """

    node: Node
    miss: Opinion | None
    closed: bool = False


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
        return Strip(tuple(one.miss is None for one in self.judged), tuple(one.closed for one in self.judged))


def chain_of(step: Step, tokens: Sequence[Token]) -> Chain | None:
    """The round's chain; None where the draft branches below the accepted path, a stop cut it, nothing was recorded, or
    tokens were sampled.

    Args:
        tokens: those that the round committed.
    """
    nodes, path = step.trees.final, step.commit.path_node_ids
    if len(nodes) == 1 or step.commit.extra is None or len(tokens) != len(path) + 1:
        return None
    if any(token.decided_p is not None for token in tokens):
        return None
    judged = [_accepted(nodes[i], token) for i, token in zip(path, tokens, strict=False)]
    below = chain_below(nodes, path[-1] if path else 0)
    if below is None or (below and below[0].ahead is None):
        return None
    seen = [node for node in below if node.ahead is not None]
    judged += [_beyond(node, tokens[-1]) for node in seen]
    if any(one.miss is not None and not one.miss.best for one in judged):
        return None
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
    best = tuple(candidate.p for candidate in token.top)
    miss = None if token.wish is None else Opinion(best, token.p, token.entropy, token.wish.text)
    return Judged(node, miss, token.special)


def _beyond(node: Node, own: Token) -> Judged:
    """A node that was not accepted; ``own`` is the target's token in place of the first."""
    assert node.ahead is not None
    miss = node.ahead.miss
    if node.ahead.agrees:
        return Judged(node, None)
    if miss is not None:
        return Judged(node, Opinion(miss.best, miss.p, miss.entropy, miss.text))
    best = tuple(candidate.p for candidate in node.target_top)
    return Judged(node, Opinion(best, node.target_p, own.entropy, own.piece))

"""What the target says behind the end of an accepted path, down the chain that is left: what other rules would go by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from respec_core.engine.probabilities import opinions
from respec_core.engine.strict_rule import StrictRule
from respec_core.trace.round import MISSES_AHEAD


@dataclass(frozen=True)
class Dissent:
    """The target's plain opinion where it wants another token than the draft's.

    Attributes:
        token: the target's own.
        best: the largest probabilities, its own first.
        p: of the drafted token; None where that is not among the best, so that no rule asks for it.
    """

    token: int
    best: tuple[float, ...]
    p: float | None
    entropy: float


@dataclass(frozen=True)
class Beyond:
    """The target's decision about a node that was not accepted.

    Attributes:
        miss: where the target disagrees; None of the rejected node itself, whose opinion the round has.
    """

    agrees: bool
    miss: Dissent | None


def look_ahead(strict: StrictRule, end: int, closing: Callable[[int], bool]) -> Mapping[int, Beyond]:
    """Decisions about the nodes of the chain below ``end``, up to a third mismatch; none where the tree branches there.

    Args:
        closing: tokens that end or steer a text: at a node where the draft or the target has one, no more is looked at.
    """
    tree, above = strict.tree, end
    walked: list[tuple[int, int]] = []
    misses = 0
    for node in tree.chain_below(end):
        if closing(tree.tokens[node]) or closing(strict.at(above).token):
            break
        walked.append((above, node))
        misses += strict.at(above).child != node
        if misses == MISSES_AHEAD:
            break
        above = node
    disagree = [(up, node) for up, node in walked[1:] if strict.at(up).child != node]
    found = _misses(strict, disagree) if disagree else {}
    return {node: Beyond(strict.at(up).child == node, found.get(node)) for up, node in walked}


def _misses(strict: StrictRule, nodes: list[tuple[int, int]]) -> dict[int, Dissent]:
    """Opinions at the parents of ``nodes``, given as (parent, node), in one go."""
    seen = opinions(strict.logits[[up for up, _ in nodes]])
    found = {}
    for row, (up, node) in enumerate(nodes):
        best = dict(seen.top[row])
        p = best.get(strict.tree.tokens[node])
        found[node] = Dissent(strict.at(up).token, tuple(best.values()), p, seen.entropy[row])
    return found

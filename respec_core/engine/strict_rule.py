"""The strict rule: what the target itself writes behind a node of the draft, and whether a child carries it.

* greedy: the argmax.
* sampling, deterministic drafts: draw ``y ~ p`` once a node; the child that carries ``y``. Exact for any tree.
* sampling, sampled drafts: the child ``x ~ q`` with probability ``min(1, p(x)/q(x))``, else a draw from the normalised
  ``max(p − q, 0)`` (Leviathan et al., arXiv 2211.17192 §2.3). With knowledge transfer (arXiv 2502.20330; lossy) accepted by
  the pulled ``p̂`` in place of ``p``, and drawn from ``max(p − q, p − p̂, 0)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from respec_core.engine.likeliest import highest
from respec_core.engine.probabilities import opinions
from respec_core.engine.sampling import Sampler, finite
from respec_core.engine.transfer import Transfer
from respec_core.engine.tree import DraftTree
from respec_core.engine.way import WayDown, Wish

SMALL_TREE = 16  # up to here, and always on a card, one argmax over all rows beats one for every row visited


@dataclass(frozen=True)
class Ruling:
    """The target's own token behind a node.

    Attributes:
        child: the node that carries it, None where no child does.
        p: ``[vocab]``, the distribution decided by; None where the token is an argmax.
    """

    token: int
    child: int | None
    p: torch.Tensor | None


class StrictRule:
    """Rules on the nodes of a round, on each once.

    Args:
        logits: float32 ``[nodes, vocab]``; row i is the target's opinion after node i.
        prefix: committed ids, the root last.
        drawn: for nodes whose one child was *sampled*, the distribution ``q`` ``[vocab]`` it came from.
        transfer: pulls ``p`` towards ``q``, if anything does.
    """

    def __init__(
        self,
        tree: DraftTree,
        logits: torch.Tensor,
        prefix: Sequence[int],
        sampler: Sampler,
        drawn: Mapping[int, torch.Tensor],
        transfer: Transfer | None = None,
    ) -> None:
        self.tree, self.logits, self.sampler, self.drawn = tree, logits, sampler, drawn
        self.transfer = transfer
        self._prefix = prefix
        self._penalised = sampler.settings.repetition_penalty != 1
        self._rulings: dict[int, Ruling] = {}
        plain = sampler.greedy and not self._penalised and (len(tree) <= SMALL_TREE or logits.is_cuda)
        self._argmax: list[list[float]] | None = _highest(logits) if plain else None

    def at(self, node: int) -> Ruling:
        """What the target writes behind ``node`` if that is accepted."""
        if node not in self._rulings:
            self._rulings[node] = self._rule(node)
        return self._rulings[node]

    def way(self) -> WayDown:
        """Down for as long as the target agrees."""
        path: list[int] = []
        node = self.at(0).child
        while node is not None:
            path.append(node)
            node = self.at(node).child
        return WayDown(tuple(path))

    def wish(self, node: int) -> Wish:
        """The target's own token behind ``node`` with its probability."""
        token = self.at(node).token
        return Wish(token, float(self.probabilities(node)[token]))

    def probabilities(self, node: int) -> torch.Tensor:
        """The distribution behind ``node`` that a rule other than the strict one goes by: when greedy, before the argmax."""
        p = self.at(node).p
        return self.sampler.penalised(self.logits[node], self._seen(node)).softmax(-1) if p is None else p

    def entropy(self, node: int) -> float:
        """Of the target's plain distribution behind ``node``, in nats, as the trace has it."""
        return opinions(self.logits[node : node + 1]).entropy[0]

    def _seen(self, node: int) -> Sequence[int]:
        if not self._penalised:
            return self._prefix
        return [*self._prefix, *(self.tree.tokens[i] for i in self.tree.path(node))]

    def _rule(self, node: int) -> Ruling:
        if not self.sampler.greedy and node in self.drawn:
            p = self.sampler.distribution(self.logits[node], self._seen(node))
            return self._rejection(node, p, self.drawn[node])
        probabilities: torch.Tensor | None = None
        if self._argmax:
            best, tokens = self._argmax
            finite(best[node])
            token = int(tokens[node])
        else:
            token, probabilities = self.sampler.choose(self.logits[node], self._seen(node))
        return Ruling(token, self.tree.child(node, token), probabilities)

    def _rejection(self, node: int, p: torch.Tensor, q: torch.Tensor) -> Ruling:
        """The draft's token if accepted, else one of the residual and no node."""
        (child,) = self.tree.children[node]
        x = self.tree.tokens[child]
        pulled = p if self.transfer is None else self.transfer.pulled(p, q)
        if self.sampler.rng.random() * float(q[x]) < float(pulled[x]):
            return Ruling(x, child, p)
        residual = (p - torch.minimum(q, pulled) if self.transfer else p - q).clamp(min=0)
        if float(residual.sum()) <= 0:  # p equals q up to rounding
            residual = p
        return Ruling(self.sampler.draw(residual), None, p)


def _highest(logits: torch.Tensor) -> list[list[float]]:
    """The best score of every row, and its token: read at once, for a card is waited for."""
    best, tokens = highest(logits)
    read: list[list[float]] = torch.stack((best, tokens.to(best.dtype))).tolist()
    return read

"""FLy (arXiv 2511.22972) beside the strict rule: greedy, along a chain. Lossy."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from respec_core.engine.probabilities import opinions
from respec_core.engine.strict_rule import StrictRule
from respec_core.engine.way import WayDown
from respec_core.settings.verifying import VerifySettings
from respec_core.trace.fly import Strip, top_entropy


class FlyRule:
    """FLy beside the strict rule.

    In a tree the strict path is taken; below its end FLy goes on where what is left is one chain.

    Args:
        never: tokens that only the strict rule may pass (end of text, special tokens).
    """

    def __init__(self, strict: StrictRule, settings: VerifySettings, never: Callable[[int], bool]) -> None:
        self.strict, self.settings, self.never = strict, settings, never

    def way(self) -> WayDown:
        """The accepted part of the chain that the strict path and what hangs below it are."""
        path = self.strict.way().path
        chain = (*path, *self.strict.tree.chain_below(path[-1] if path else 0))
        above = (0, *chain[:-1])
        strip = self._strip(chain, above)
        n = strip.accepted(self.settings.fly_window, lambda i: self._gate(above[i]) >= self.settings.fly_entropy)
        passed = (i for i in range(n) if not strip.agrees[i])
        return WayDown(chain[:n], {chain[i]: self.strict.wish(above[i]) for i in passed})

    def _strip(self, chain: Sequence[int], above: Sequence[int]) -> Strip:
        tokens = self.strict.tree.tokens
        rulings = [self.strict.at(node) for node in above[: len(chain)]]
        agrees = tuple(ruling.child == node for ruling, node in zip(rulings, chain, strict=True))
        closed = (self.never(tokens[node]) or self.never(own.token) for node, own in zip(chain, rulings, strict=True))
        return Strip(agrees, tuple(closed))

    def _gate(self, node: int) -> float:
        ((*top,),) = opinions(self.strict.logits[node : node + 1]).top
        return top_entropy(p for _, p in top[: self.settings.fly_top_k])

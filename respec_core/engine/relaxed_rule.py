"""The relaxed rule (ReSpec, arXiv 2511.01282; thresholds, guards and the choice of path are ours). Lossy.

A *retrieved* child that is not the target's own token passes where the target ranks it high.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from respec_core.engine.strict_rule import StrictRule
from respec_core.engine.way import WayDown, Wish
from respec_core.settings.verifying import VerifySettings
from respec_core.trace.round import RETRIEVED_SOURCES


class RelaxedRule:
    """The relaxed rule beside the strict one.

    Args:
        never: tokens that only the strict rule may pass (end of text, special tokens, digits).
    """

    def __init__(self, strict: StrictRule, settings: VerifySettings, never: Callable[[int], bool]) -> None:
        self.strict, self.settings, self.never = strict, settings, never

    def way(self) -> WayDown:
        """Down by the chosen kind of path."""
        return self._longest() if self.settings.relax_path == "longest" else self._strict_first()

    def _strict_first(self) -> WayDown:
        """At every node the target's own token, where no child carries it the likeliest that passes."""
        path: list[int] = []
        wishes: dict[int, Wish] = {}
        node = 0
        while True:
            child = self.strict.at(node).child
            if child is None and len(wishes) < self.settings.relax_max and (passing := self.passing(node)):
                child = max(passing, key=passing.__getitem__)
                wishes[child] = self.strict.wish(node)
            if child is None:
                return WayDown(tuple(path), wishes)
            path.append(child)
            node = child

    def _longest(self) -> WayDown:
        """The longest of all permitted paths; of equals that with fewer relaxed nodes, then the likelier."""
        tree = self.strict.tree
        reached = {0: (0, 0.0)}  # relaxed nodes on the way, and its log probability
        for node in range(len(tree)):  # parents come before their children
            if node not in reached or not tree.children[node]:
                continue
            used, log_p = reached[node]
            own = self.strict.at(node).child
            steps = dict.fromkeys(self.passing(node), used + 1) if used < self.settings.relax_max else {}
            if own is not None:
                steps[own] = used
            if steps:
                p = self.strict.probabilities(node)[[tree.tokens[child] for child in steps]].tolist()
                for (child, relaxed), share in zip(steps.items(), p, strict=True):
                    reached[child] = relaxed, log_p + (math.log(share) if share > 0 else -math.inf)
        end = max(reached, key=lambda node: (tree.depths[node], -reached[node][0], reached[node][1]))
        path = tree.path(end)
        above = zip((0, *path), path, strict=False)
        return WayDown(path, {node: self.strict.wish(up) for up, node in above if self.strict.at(up).child != node})

    def passing(self, node: int) -> dict[int, float]:
        """The children that the rule lets pass in place of the target's own token, with their probabilities."""
        tree, settings, ruling = self.strict.tree, self.settings, self.strict.at(node)
        copied = [
            child
            for child in tree.children[node]
            if child != ruling.child and tree.sources[child] & RETRIEVED_SOURCES and not self.never(tree.tokens[child])
        ]
        if not copied or self.never(ruling.token):
            return {}
        if settings.relax_h_min > 0 and self.strict.entropy(node) < settings.relax_h_min:
            return {}
        p = self.strict.probabilities(node)
        floor, own = settings.relax_eps * float(p.max()), float(p[ruling.token])
        found = {}
        for child in copied:
            share = float(p[tree.tokens[child]])
            before = int((p > share).sum()) + (share == own)  # of equals the target's own comes first
            if 0 < share >= floor and before < settings.relax_k:  # what sampling forbids never passes
                found[child] = share
        return found

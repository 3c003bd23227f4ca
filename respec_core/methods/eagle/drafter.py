"""EAGLE-2 (arXiv 2406.16858): a feature head grows a tree where it is sure of itself.

*Expand*: the best ``top_k`` nodes of every level by path probability get ``top_k`` children each. *Rerank*: the best of
all grown nodes go to the target. Afterwards the head reads the target's true features of what was committed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from torch import Tensor

from respec_core.engine.drafting import Context, Draft, Drafter, Round
from respec_core.engine.routing import Always, Router
from respec_core.engine.sizing import Worth
from respec_core.engine.tree import DraftTree
from respec_core.methods.eagle.growing import Head, Promising
from respec_core.methods.eagle.settings import Eagle2Settings
from respec_core.methods.resources import Models
from respec_core.trace.round import Hit

LEVELS_TIMED = 4  # newest levels whose fastest is what a level costs; grown unasked until there are as many


def build(settings: Eagle2Settings, models: Models) -> Router:
    """Ask the head every round.

    Raises:
        ReSpecError: when no head was loaded.
    """
    return Always(Eagle2Drafter(settings, models.require(Head, "eagle2")), "model")


class Eagle2Drafter(Drafter):
    """Reranks what the head has grown, and asks it for nothing that would not pay."""

    def __init__(self, settings: Eagle2Settings, head: Head) -> None:
        self.settings = settings
        self.grower = head.grower()
        self.hidden_layers = self.grower.hidden_layers
        self.trained_context = self.grower.trained_context
        self._levels_ms: deque[float] = deque(maxlen=LEVELS_TIMED)

    def prefilled(self, hidden: Mapping[int, Tensor]) -> None:
        """For the head."""
        self.grower.prefilled(hidden)

    def begin(self, prompt: Sequence[int]) -> None:
        """For the head."""
        self.grower.begin(prompt)

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """For the head."""
        self.grower.observe(round)
        return ()

    def propose(self, context: Context) -> Draft:
        """The best ``total_tokens − 1`` nodes of a tree of at most ``depth + 1`` levels."""
        asked = min(self.settings.levels, context.room)
        if asked < 1:
            return Draft(DraftTree.root(context.root), reason="no room for a draft")
        with context.clock.phase("draft"):
            choose = self._choice(context.worth, context.clock.now)
            grown = self.grower.grown(context, self.settings.top_k, asked, choose)
            if grown is None:
                return Draft(DraftTree.root(context.root), reason="the head has not seen a feature of the target yet")
            tree, shown = grown.best(self.settings.total_tokens - 1)
            levels = max(grown.tree.depths)
            reason = f"best {len(tree) - 1} of {len(grown.tree) - 1} nodes, {levels} levels of the EAGLE head"
            if levels < asked:
                reason += "; deeper ones would not pay"
            return Draft(tree, first=grown.first, parts={"drafter": shown}, reason=reason)

    def _choice(self, worth: Worth | None, now: Callable[[], float] = perf_counter) -> Promising:
        """Grows below what is promising, as long as a level pays; times the levels as it is asked about the next."""
        start: float | None = None

        def choose(frontier: Sequence[float]) -> Sequence[int]:
            nonlocal start
            at = now()
            if start is not None:
                self._levels_ms.append((at - start) * 1e3)
            start = at
            known = len(self._levels_ms) == LEVELS_TIMED
            if worth is None:
                return range(len(frontier))
            if known and not worth.level_pays(frontier, min(self._levels_ms)):
                return ()
            return worth.promising(frontier)

        return choose

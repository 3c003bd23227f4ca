"""EAGLE-2 (arXiv 2406.16858): a feature head grows a tree where it is sure of itself.

*Expand*: the best ``top_k`` nodes of every level by path probability get ``top_k`` children each. *Rerank*: the best of
all grown nodes go to the target. Afterwards the head reads the target's true features of what was committed.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from torch import Tensor

from respec_core.engine.drafting import Context, Draft, Drafter, Part, Round
from respec_core.engine.first_step import FirstStep
from respec_core.engine.routing import Always, Router
from respec_core.engine.sizing import Worth
from respec_core.engine.tree import DraftTree
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.eagle.reader import FeatureReader
from respec_core.methods.eagle.session import EagleSession
from respec_core.methods.eagle.settings import Eagle2Settings
from respec_core.methods.resources import Models
from respec_core.trace.round import Hit

RUNNERS_UP = 32  # nodes dropped by the reranking that a trace shows
LEVELS_TIMED = 12  # newest levels whose fastest is what a level costs; grown unasked until there are as many


def build(settings: Eagle2Settings, models: Models) -> Router:
    """Ask the head every round.

    Raises:
        ReSpecError: when no head was loaded.
    """
    return Always(Eagle2Drafter(settings, models.require(EagleHead, "eagle2")), "model")


class Eagle2Drafter(Drafter):
    """Own key-value cache over true features; it is read up only when a draft is asked for."""

    def __init__(self, settings: Eagle2Settings, head: EagleHead) -> None:
        self.settings = settings
        self.reader = FeatureReader(head)
        self.session = self.reader.session
        self.hidden_layers = self.reader.layers
        self.trained_context = head.config.context
        self._levels_ms: deque[float] = deque(maxlen=LEVELS_TIMED)

    def prefilled(self, hidden: Mapping[int, Tensor]) -> None:
        """Keep the chunk's features until the prompt's tokens are known."""
        self.reader.prefilled(hidden)

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""
        self.reader.begin(prompt)
        self._read()

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """The root's and the accepted path's true features replace the head's own states."""
        self.reader.observe(round)
        return ()

    def propose(self, context: Context) -> Draft:
        """The best ``total_tokens − 1`` nodes of a tree of at most ``depth + 1`` levels."""
        asked = min(self.settings.levels, context.room)
        if asked < 1:
            return Draft(DraftTree.root(context.root), reason="no room for a draft")
        with context.clock.phase("draft"):
            self._read()
            if not self.session.length:
                return Draft(DraftTree.root(context.root), reason="the head has not seen a feature of the target yet")
            grown, first = grow(self.session, context.root, self.settings.top_k, asked, self._pays(context.worth))
            order = grown.best(self.settings.total_tokens - 1)
            levels = max(grown.depths)
            reason = f"best {len(order)} of {len(grown) - 1} nodes, {levels} levels of the EAGLE head"
            if levels < asked:
                reason += "; deeper ones would not pay"
            return Draft(grown.keep(order), first=first, parts={"drafter": self._shown(grown)}, reason=reason)

    def _shown(self, grown: DraftTree) -> Part:
        """What was kept and the best of what was not: recording all that grew would cost a tenth of a round."""
        kept = self.settings.total_tokens - 1
        shown = grown.keep(grown.best(kept + RUNNERS_UP))
        return Part(shown, dict.fromkeys(shown.best(len(shown))[kept:], "rerank"))

    def _pays(self, worth: Worth | None) -> Callable[[Sequence[float]], bool]:
        """Whether to grow below nodes of these path probabilities; times the levels as it is asked about the next."""
        start: float | None = None

        def pays(frontier: Sequence[float]) -> bool:
            nonlocal start
            now = perf_counter()
            if start is not None:
                self._levels_ms.append((now - start) * 1e3)
            start = now
            known = len(self._levels_ms) == LEVELS_TIMED
            return worth is None or not known or worth.level_pays(frontier, min(self._levels_ms))

        return pays

    def _read(self) -> None:
        for _ in self.reader.read():
            pass


def grow(
    session: EagleSession, root: int, top_k: int, levels: int, pays: Callable[[Sequence[float]], bool]
) -> tuple[DraftTree, FirstStep]:
    """The whole tree before reranking: scores are path probabilities, ``draft_p`` the head's own for each node.

    Args:
        session: its last committed row is the root's.
        pays: asked with the frontier's path probabilities before every level but the first.

    Returns:
        the tree, and the head's distribution behind the root.
    """
    tokens, parents, log_p, value = [root], [-1], [0.0], [0.0]
    row = {0: -1}  # node to its row in the session
    frontier = [0]
    whole = session.log_p(session.state[None])
    best, picks = session.pick(whole, top_k)
    for level in range(1, levels + 1):
        if level > 1:
            if not pays([math.exp(value[node]) for node in frontier]):
                break
            first_row = session.drafted
            states = session.step([row[parents[node]] for node in frontier], [tokens[node] for node in frontier])
            row |= {node: first_row + i for i, node in enumerate(frontier)}
            best, picks = session.top(states, top_k)
        start = len(tokens)
        for node, node_tokens, node_log_p in zip(frontier, picks.tolist(), best.tolist(), strict=True):
            tokens += node_tokens
            parents += [node] * len(node_tokens)
            log_p += node_log_p
            value += [value[node] + x for x in node_log_p]
        newest = sorted(range(start, len(tokens)), key=lambda node: -value[node])
        frontier = sorted(newest[:top_k])
    session.rewind()
    own, along = ([math.exp(x) for x in logs] for logs in (log_p, value))
    tree = DraftTree.grown(tokens, parents, "model", draft_p=own, scores=along)
    return tree, FirstStep(whole[0], session.head.draft_to_target)

"""Trees grown by the network itself: a key-value cache of its own over true features, read up only when a tree is asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from torch import Tensor

from respec_core.engine.drafting import Context, Round
from respec_core.engine.first_step import FirstStep
from respec_core.engine.tree import DraftTree
from respec_core.methods.eagle.growing import Grower, GrownTree, Promising
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.eagle.reader import FeatureReader
from respec_core.methods.eagle.session import EagleSession


class FeatureGrower(Grower):
    """The root's and the accepted path's true features replace the head's own states."""

    def __init__(self, head: EagleHead) -> None:
        self.reader = FeatureReader(head)
        self.session = self.reader.session
        self.hidden_layers = self.reader.layers
        self.trained_context = head.config.context

    def prefilled(self, hidden: Mapping[int, Tensor]) -> None:
        """Keep the chunk's features until the prompt's tokens are known."""
        self.reader.prefilled(hidden)

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""
        self.reader.begin(prompt)
        self.read()

    def observe(self, round: Round) -> None:
        """Keep the true features of what was committed."""
        self.reader.observe(round)

    def read(self) -> None:
        """Commit what was kept."""
        for _ in self.reader.read():
            pass

    def grown(self, context: Context, top_k: int, levels: int, choose: Promising) -> GrownTree | None:
        """Read up, then grow."""
        self.read()
        if not self.session.length:
            return None
        return GrownTree(*grow(self.session, context.root, top_k, levels, choose))


def grow(session: EagleSession, root: int, top_k: int, levels: int, choose: Promising) -> tuple[DraftTree, FirstStep]:
    """The whole tree before reranking, see :class:`~respec_core.methods.eagle.growing.GrownTree`.

    Args:
        session: its last committed row is the root's.
        choose: asked with the frontier's path probabilities before every level but the first.
    """
    tokens, parents, log_p, value = [root], [-1], [0.0], [0.0]
    row = {0: -1}  # node to its row in the session
    frontier = [0]
    whole = session.log_p(session.state[None])
    best, picks = session.pick(whole, top_k)
    for level in range(1, levels + 1):
        if level > 1:
            chosen = choose([math.exp(value[node]) for node in frontier])
            if not chosen:
                break
            frontier = [frontier[i] for i in chosen]
            first_row = session.drafted
            above, read = [row[parents[node]] for node in frontier], [tokens[node] for node in frontier]
            best, picks = session.grow(above, read, top_k)
            row |= {node: first_row + i for i, node in enumerate(frontier)}
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

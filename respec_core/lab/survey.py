"""What a drafter has to offer at every position of a text, whether or not a run would come by there.

The text is written token by token, and the router is asked before each: it drafts as in a run in which nothing was
accepted so far, so nothing was learned of its own drafts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from respec_core.engine.tree import DraftTree
from respec_core.lab.playing import Player
from respec_core.lab.recorded_models import Stage
from respec_core.lab.replay import ending
from respec_core.settings.run_config import RunConfig
from respec_core.trace.round import DIFFUSION_SOURCE, RETRIEVED_SOURCES, Chosen


@dataclass(frozen=True)
class Offered:
    """A draft at a position.

    Attributes:
        drafted: nodes below the root.
        needed: for 1, 2 … accepted tokens the fewest nodes, best first, that hold them; as many as would be accepted.
        by: who drafted each of these tokens, one or several that agree.
        ms: recorded milliseconds of drafting.
    """

    drafted: int
    needed: tuple[int, ...]
    by: tuple[frozenset[Chosen], ...]
    ms: float

    @property
    def accepted(self) -> int:
        """Tokens of the whole draft that the text goes on with."""
        return len(self.needed)


def survey(stage: Stage, config: RunConfig, between: Callable[[], None] = lambda: None) -> tuple[Offered, ...]:
    """The draft of ``config`` at every position.

    Args:
        between: called before each; other replays of the text may run there.

    Raises:
        ReSpecError: for what cannot be replayed, or was not recorded.
    """
    length, _ = ending(stage.text, config)
    player, offered = Player(stage, config, length), []
    for at in range(length):
        between()
        played = player.draft(at)
        tree = played.draft.tree
        by = tuple(drafted_by(tree.sources[node]) for node in played.path)
        offered.append(Offered(len(tree) - 1, needed(tree, played.path), by, played.ms))
        player.commit(played, DraftTree.root(tree.tokens[0]), (), stage.text.output_ids[at : at + 1])
    return tuple(offered)


def drafted_by(sources: Collection[str]) -> frozenset[Chosen]:
    """Whose a node of these sources is."""
    return frozenset(KINDS.get(source, "model") for source in sources)


KINDS: dict[str, Chosen] = {
    **dict.fromkeys(RETRIEVED_SOURCES, "retrieval"),
    DIFFUSION_SOURCE: "diffusion",
    "schema": "schema",
}


def needed(tree: DraftTree, path: tuple[int, ...]) -> tuple[int, ...]:
    """For every node of a root path the size of the smallest best-first part of ``tree`` that holds it."""
    rank = {node: i for i, node in enumerate(tree.best(len(tree)), 1)}
    return tuple(rank[node] for node in path)

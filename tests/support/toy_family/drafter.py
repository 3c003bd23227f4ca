"""Drafts what followed each token last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from respec_core.engine.drafting import Context, Draft, Drafter, Round
from respec_core.engine.pieces import Pieces
from respec_core.engine.routing import Always, Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.resources import Models
from respec_core.trace.record import MethodRecord
from respec_core.trace.round import Hit
from toy_family.notebook import Notebook
from toy_family.record import Memory
from toy_family.settings import ToySettings


def build(settings: ToySettings, models: Models) -> Router:
    """Ask the memory every round."""
    return Always(ToyDrafter(settings.reach, {}), "model")


def build_noted(settings: ToySettings, models: Models) -> Router:
    """Ask a memory that starts from the notebook."""
    return Always(ToyDrafter(settings.reach, models.require(Notebook, "toy-noted").successor), "model")


@dataclass(frozen=True)
class Remembered:
    """The extension of the toy's drafts."""

    known: int

    def records(self, path: Sequence[int], tree: DraftTree, pieces: Pieces) -> Mapping[str, MethodRecord]:
        """The trace's ``memory``."""
        return {"memory": Memory(known=self.known, drafted=len(tree) - 1, accepted=len(path))}


class ToyDrafter(Drafter):
    """Remembers one successor of every token."""

    def __init__(self, reach: int, noted: Mapping[int, int]) -> None:
        self.reach = reach
        self.successor = dict(noted)

    def begin(self, prompt: Sequence[int]) -> None:
        self.successor.update(pairwise(prompt))

    def propose(self, context: Context) -> Draft:
        with context.clock.phase("draft"):
            tokens, last = [], context.root
            while len(tokens) < min(self.reach, context.room) and last in self.successor:
                last = self.successor[last]
                tokens.append(last)
        tree = DraftTree.chain(context.root, tokens, "recycle")
        return Draft(tree, reason=f"{len(tokens)} remembered", extension=Remembered(len(self.successor)))

    def observe(self, round: Round) -> tuple[Hit, ...]:
        self.successor.update(pairwise((round.tree.tokens[0], *round.emitted)))
        return ()

"""RACER (arXiv 2604.14885; code: hkr04/RACER): what stood behind all ends of the text, and what the target nearly said.

An automaton of n-grams gives the most frequent continuations; what is left of the draft's size is filled with remembered
successors, breadth-first and ever narrower.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from respec_core.engine.drafting import Context, Draft, Drafter, Part, PartName, Round, credit
from respec_core.engine.pieces import Pieces
from respec_core.engine.routing import Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.hits import HitMaker, with_hits
from respec_core.methods.parts.matching import match_at
from respec_core.methods.parts.successors import Successors
from respec_core.methods.racer.automaton import Automaton
from respec_core.methods.racer.ranking import Continued, logits_template
from respec_core.methods.racer.record import RacerBudget
from respec_core.methods.racer.retrieved import Retrieved, retrieved
from respec_core.methods.racer.settings import RacerSettings
from respec_core.methods.resources import Models
from respec_core.retrieval.retriever import Occurrence
from respec_core.trace.record import MethodRecord
from respec_core.trace.round import Chosen, Decision, Hit


def build(settings: RacerSettings, models: Models) -> Router:
    """Ask both memories every round."""
    return SharedBudget(RacerDrafter(settings, models.target.vocab_size))


class SharedBudget(Router):
    """Asks the one drafter, and says which memory had a part in its tree."""

    def __init__(self, drafter: RacerDrafter) -> None:
        self.drafters = (drafter,)

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Always the one tree."""
        draft = self.drafters[0].propose(context)
        there = frozenset().union(*draft.tree.sources)
        copied = "dynamic" in there
        chosen: Chosen = "none" if not there else "fused" if draft.parts else "retrieval" if copied else "model"
        return Decision(chosen=chosen, rule="always", reason=draft.reason, triggered=copied), draft


@dataclass(frozen=True)
class Shares:
    """The extension of a draft."""

    record: RacerBudget

    def records(self, path: Sequence[int], tree: DraftTree, pieces: Pieces) -> Mapping[str, MethodRecord]:
        """The trace's ``racer``."""
        return {"racer": self.record}


class RacerDrafter(Drafter):
    """Reads n-grams and successors of one run."""

    def __init__(self, settings: RacerSettings, vocab_size: int) -> None:
        self.settings = settings
        self.automaton = Automaton(settings.ngram, settings.max_states)
        self.successors = Successors(vocab_size)
        self.hits = HitMaker()

    def begin(self, prompt: Sequence[int]) -> None:
        """Start from the prompt's bigrams; its n-grams are read when they are asked for."""
        self.successors.read(prompt)

    def propose(self, context: Context) -> Draft:
        """Both memories in one tree."""
        room, size = max(context.room, 0), self.settings.total_nodes - 1
        with context.clock.phase("retrieve"):
            found = retrieved(self.automaton, context.ids, self.settings, room)
            copied, hits = self._copied(context, found)
        with context.clock.phase("draft"):
            shape = logits_template(size - len(found.tokens), self.settings.max_breadth)
            guessed = self.successors.tree(context.root, shape, "logits").limit_depth(room)
        with context.clock.phase("fuse"):
            tree = guessed.merge(copied)
        both = len(guessed) > 1 and len(copied) > 1
        parts: dict[PartName, Part] = {"drafter": Part(guessed), "retrieval": Part(copied)} if both else {}
        return Draft(
            tree,
            hits,
            parts=parts,
            reason=f"{len(copied) - 1} nodes behind {len(found.borders)} borders, {len(guessed) - 1} remembered successors",
            extension=Shares(self._told(found, room, copied, guessed, tree)),
        )

    def _copied(self, context: Context, found: Retrieved) -> tuple[DraftTree, tuple[Hit, ...]]:
        tokens = found.tokens
        tree = DraftTree.grown(
            [context.root, *(one.token for one in tokens)],
            [-1, *(one.parent + 1 for one in tokens)],
            "dynamic",
            scores=[1.0, *(one.share for one in tokens)],
        )
        leaves = [tokens[node - 1] for node in tree.leaves() if node]
        hits = tuple(
            self._hit(context, i, leaf, found.borders[leaf.states[0][0]].match_len) for i, leaf in enumerate(leaves)
        )
        return with_hits(tree, [hit.cont_ids for hit in hits]), hits

    def _hit(self, context: Context, id: int, leaf: Continued, border: int) -> Hit:
        """The newest place of a branch, behind the longest border that leads to it."""
        end = leaf.states[0][1].end
        at = end - leaf.depth
        place = Occurrence("dynamic", at, match_at(context.ids, at), tuple(context.ids[at:end]))
        return self.hits.hit(context, id, place, why=f"{leaf.windows} n-grams, behind a border of {border}")

    def _told(self, found: Retrieved, room: int, copied: DraftTree, guessed: DraftTree, tree: DraftTree) -> RacerBudget:
        return RacerBudget.model_construct(
            borders=found.borders,
            retrieved=len(copied) - 1,
            from_logits=len(guessed) - 1,
            shared=len(copied) + len(guessed) - len(tree) - 1,
            room=room,
            states=len(self.automaton),
            forgotten=self.automaton.forgotten,
        )

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """The target's newest successors; the committed text is read when it is asked for."""
        if self.settings.max_breadth:
            self.successors.learn(round)
        return credit(round)

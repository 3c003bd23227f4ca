"""SuffixDecoding (arXiv 2411.04975; code: snowflakedb/ArcticInference, ``suffix_tree.cc``).

For every length of match, draft what followed most often; the draft whose tokens are expected to bring most is sent. So
a shorter match that went on the same way everywhere can win over a longer one that did not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from respec_core.engine.drafting import Context, Draft, Drafter, Round, credit
from respec_core.engine.pieces import Pieces
from respec_core.engine.routing import Always, Router
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.hits import HitMaker, with_hits
from respec_core.methods.parts.matching import match_at
from respec_core.methods.resources import Models
from respec_core.methods.suffix.counting import Tail
from respec_core.methods.suffix.places import OwnText, Places
from respec_core.methods.suffix.promise import Promise, best_of, promised
from respec_core.methods.suffix.record import SuffixChoice
from respec_core.methods.suffix.settings import SuffixSettings
from respec_core.methods.suffix.stored import stored_places
from respec_core.retrieval.datastore import Datastore
from respec_core.retrieval.retriever import Occurrence
from respec_core.trace.record import MethodRecord
from respec_core.trace.round import Hit


def build(settings: SuffixSettings, models: Models) -> Router:
    """Ask the suffixes every round."""
    return Always(SuffixDrafter(settings, models.get(Datastore), models.target.vocab_size), "retrieval")


@dataclass(frozen=True)
class Promises:
    """The extension of a draft."""

    candidates: Sequence[Promise]
    best: int | None

    def records(self, path: Sequence[int], tree: DraftTree, pieces: Pieces) -> Mapping[str, MethodRecord]:
        """The trace's ``suffix``."""
        matches = tuple(candidate.told() for candidate in self.candidates)
        return {"suffix": SuffixChoice.model_construct(matches=matches, chosen=self.best)}


class SuffixDrafter(Drafter):
    """Counts in the run's own text, and in a store where there is one, which stands for the authors' earlier responses."""

    def __init__(self, settings: SuffixSettings, store: Datastore | None, vocab_size: int) -> None:
        self.settings = settings
        self.store = store
        self.vocab_size = vocab_size
        self.own = OwnText()
        self.hits = HitMaker(store)

    def begin(self, prompt: Sequence[int]) -> None:
        """Read the prompt."""
        self.own.read(prompt)

    def propose(self, context: Context) -> Draft:
        """The draft with the highest score: of equal ones the run's own, then the longer match's."""
        with context.clock.phase("retrieve"):
            candidates = [*self._candidates(context)]
            best = best_of([candidate.drafted.score for candidate in candidates])
            if best is None:
                choice = Promises(candidates, None)
                return Draft(DraftTree.root(context.root), reason="no match promises a token", extension=choice)
            return self._draft(context, candidates[best], Promises(candidates, best))

    def _candidates(self, context: Context) -> Iterator[Promise]:
        """Of the run's own text, then of the store, each from the longest match down."""
        longest = self.settings.max_depth - 1  # one token at least can then follow
        for places in reversed([*self.own.places(longest)]):
            yield promised(places, self._tails, self.settings, context.room)
        if self.store is not None:
            for places in stored_places(self.store, context.ids, longest):
                yield promised(places, self._tails, self.settings, context.room)

    def _tails(self, places: Places, length: int) -> Sequence[Tail]:
        if places.source == "dynamic":
            return self.own.tails(places, length)
        assert self.store is not None
        rows = self.store.continuations_at(np.asarray(places.ends), length)
        return [row[: int(stop.argmax()) if stop.any() else length].tolist() for row, stop in self._with_ends(rows)]

    def _with_ends(self, rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Each row, and where it holds no token of the target's: −1 ends one."""
        yield from zip(rows, (rows < 0) | (rows >= self.vocab_size), strict=True)

    def _draft(self, context: Context, chosen: Promise, choice: Promises) -> Draft:
        grown, places = chosen.drafted, chosen.places
        source = "dynamic" if places.source == "dynamic" else "static"
        parents = [-1, *(parent + 1 for parent in grown.parents)]
        tree = DraftTree.grown([context.root, *grown.tokens], parents, source, scores=[1.0, *grown.shares])
        hits = tuple(
            self.hits.hit(
                context,
                i,
                Occurrence(places.source, end, self._match_at(places, end), tuple(chosen.tails[at]), len(places.ends)),
                why=f"score {grown.score:.2f} behind a match of {places.match_len}",
            )
            for i, (at, end) in enumerate((at, places.ends[at]) for at in _covering(tree, chosen.tails))
        )
        where = "here" if places.source == "dynamic" else "in the store"
        reason = (
            f"behind a match of {places.match_len} {where} a draft of {len(grown.tokens)} scores {grown.score:.2f}, "
            f"the best of {len(choice.candidates)}"
        )
        return Draft(with_hits(tree, [hit.cont_ids for hit in hits]), hits, reason=reason, extension=choice)

    def _match_at(self, places: Places, end: int) -> int:
        """At this place more may match than at all of them."""
        return match_at(self.own.ids, end) if places.source == "dynamic" else places.match_len

    def observe(self, round: Round) -> tuple[Hit, ...]:
        """Read what was committed."""
        self.own.read(round.emitted)
        return credit(round)


def _covering(tree: DraftTree, rows: Sequence[Tail]) -> list[int]:
    """Rows, the newest of each branch, that hold every branch of the tree between them."""
    found: dict[int, int] = {}
    for at, row in enumerate(rows):
        found.setdefault((0, *tree.along(row))[-1], at)
    leaves = set(tree.leaves())
    return [at for node, at in found.items() if node in leaves]

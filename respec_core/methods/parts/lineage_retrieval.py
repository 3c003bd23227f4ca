"""What to verify, by lineage (ours): matches of every length, and copies that deviated, resumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from respec_core.engine.drafting import Context
from respec_core.engine.records import Records
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.hits import HitMaker
from respec_core.methods.parts.lineage import (
    RESYNC,
    Lineage,
    Offer,
    Trail,
    choose,
    copied_tree,
    followed,
    judge,
    lineage_of,
    new_scores,
    source_of,
    tried_copy,
)
from respec_core.methods.parts.trigger_settings import OCCURRENCES, TriggerSettings
from respec_core.retrieval.retriever import Occurrence, Retriever
from respec_core.trace.round import Hit


@dataclass
class LineageRetrieval:
    """Candidates of the run's own text and of the store, scored by lineage; one a run."""

    settings: TriggerSettings
    retriever: Retriever
    scores: dict[Lineage, float] = field(default_factory=dict)
    trail: Trail | None = None
    written: int = 0
    records: Records = field(default_factory=Records)
    _chosen: list[tuple[Offer, tuple[int, ...]]] = field(default_factory=list)

    def look_up(self, context: Context) -> tuple[DraftTree, tuple[Hit, ...]]:
        """The tree of all branches, and every candidate with what became of it."""
        s, self.written = self.settings, len(context.ids)
        offers = sorted(self._offers(context.ids), key=lambda offer: offer.rank)
        longest = min(s.max_draft, context.room)
        maker, chosen, hits = HitMaker(self.retriever.datastore), [], []
        for i, (offer, choice) in enumerate(zip(offers, choose(offers, longest, s.k_cand, s.theta_score), strict=True)):
            if choice.status == "kept":
                chosen.append((i, offer, choice.branch))
            place = Occurrence(offer.source, offer.position, offer.match, offer.continuation, offer.count)
            hits.append(
                maker.hit(
                    context,
                    i,
                    place,
                    score_before=offer.score,
                    status=choice.status,
                    why=choice.why,
                    lineage=self.written - offer.position,
                    resumed=offer.resumed,
                )
            )
        self._chosen = [(offer, branch) for _, offer, branch in chosen]
        return copied_tree(context.root, chosen, self.records), tuple(hits)

    def _offers(self, ids: Sequence[int]) -> list[Offer]:
        s, reader = self.settings, self.retriever
        found = [
            *reader.own_levels(s.min_match, s.suffix_levels, s.max_draft, OCCURRENCES),
            *reader.static_levels(ids, s.min_match, s.suffix_levels, s.max_draft, OCCURRENCES),
        ]
        offers = [self._offer(one) for one in found]
        if self.trail is None or self.trail.age >= s.resume_window:
            return offers
        source = self.trail.source
        taken = {offer.position for offer in offers if offer.source == source}
        for place in self.trail.resumes(ids[-1], self._around(self.trail), taken):
            match = self._common(ids, place)
            offers.append(self._offer(Occurrence(source, place, match, reader.at(source, place, s.max_draft)), True))
        return offers

    def _around(self, trail: Trail) -> Callable[[int], int | None]:
        """The source's token at a place near the trail's, None outside it."""
        first = max(trail.position - RESYNC - 1, 0)
        read = self.retriever.at(trail.source, first, trail.position + RESYNC + 1 - first)

        def at(place: int) -> int | None:
            return read[place - first] if 0 <= place - first < len(read) else None

        return at

    def _offer(self, one: Occurrence, resumed: bool = False) -> Offer:
        lineage = lineage_of(one.source, self.written, one.position, one.match_len)
        score = self.scores.get(lineage, self.settings.s0)
        return Offer(one.source, one.position, one.match_len, one.continuation, score, resumed, one.count)

    def _common(self, ids: Sequence[int], place: int) -> int:
        """Tokens that stand alike before ``place`` in the trail's source and at the end of what is written."""
        assert self.trail is not None
        match = 0
        while match < min(place, len(ids)):
            if self.retriever.at(self.trail.source, place - match - 1, 1) != (ids[-match - 1],):
                break
            match += 1
        return match

    def feed_back(self, hits: Sequence[Hit], emitted: Sequence[int]) -> tuple[Hit, ...]:
        """Trail, scores and records after the round; with feedback off nothing is learnt."""
        s = self.settings
        if not s.feedback:
            return tuple(hits)
        tried = [tried_copy(hit) for hit in hits if hit.proposed]
        self.trail = followed(self.trail, tried, len(emitted))
        judge(self.records, self._chosen, emitted)
        after = new_scores(tried, self.written, s.alpha)
        self.scores |= after
        return tuple(
            hit.model_copy(
                update={"score_after": after[lineage_of(source_of(hit), self.written, hit.end_pos, hit.match_len)]}
            )
            if hit.proposed
            else hit
            for hit in hits
        )

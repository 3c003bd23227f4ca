"""Copies by lineage: what was found, resumed, kept and learned, done again from the text and the rounds before."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from respec_core.methods.parts.lineage import (
    CORPORA,
    Choice,
    Lineage,
    Offer,
    Trail,
    choose,
    followed,
    lineage_of,
    new_scores,
    offer_of,
    source_of,
    tried_copy,
)
from respec_core.methods.parts.offered import copies_problems, offered_trees
from respec_core.methods.parts.trigger_settings import OCCURRENCES
from respec_core.retrieval.retriever import Retriever
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import Hit

TOLERANCE = 1e-9


def lineage_problems(reading: Reading) -> Iterator[str]:
    """Hits that text, scores and trail do not give, and copies that are likelier than the run's record says."""
    reader, read = Retriever(), 0
    scores: dict[Lineage, float] = {}
    trail: Trail | None = None
    for round, offered in zip(reading.rounds, offered_trees(reading), strict=True):
        reader.read(reading.ids[read : round.step.ctx_len])
        read = round.step.ctx_len
        hits = [hit for hit in round.step.retrieval if hit.corpus in CORPORA]
        offers = [offer_of(hit) for hit in hits]
        choices = _choices(reading, offers, round)
        problems = [
            *_found(reading, reader, hits, trail),
            *_places(hits, read),
            *_scored(reading, hits, scores, read),
            *_chosen(hits, offers, choices),
            *copies_problems(reading, round, offered),
        ]
        yield from (f"{round.where}: {problem}" for problem in problems)
        tried = [tried_copy(hit) for hit in hits if hit.proposed]
        if reading.params["feedback"]:
            trail = followed(trail, tried, len(round.tokens))
            scores |= new_scores(tried, read, reading.params["alpha"])


def _found(reading: Reading, reader: Retriever, hits: Sequence[Hit], trail: Trail | None) -> Iterator[str]:
    """The run's own text is searched again; what a store would say is not known here."""
    p = reading.params
    found = {
        (one.position, one.match_len, one.count)
        for one in reader.own_levels(p["min_match"], p["suffix_levels"], p["max_draft"], OCCURRENCES)
    }
    own = [hit for hit in hits if source_of(hit) == "dynamic"]
    if found != {(hit.end_pos, hit.match_len, hit.count) for hit in own if not hit.resumed}:
        yield "the hits are not the places where the newest tokens stand in the run's own text"
    live = trail is not None and trail.age < p["resume_window"]
    resumed = [hit for hit in hits if hit.resumed]
    if resumed and not live:
        yield "a copy was resumed though none was followed within the window"
    if trail is None or not live:
        return
    if any(source_of(hit) != trail.source for hit in resumed):
        yield "a copy was resumed from another text than it was followed in"
    if trail.source == "dynamic":
        due = trail.resumes(
            reader.cursor.at(len(reader.cursor) - 1, 1)[0],
            lambda q: next(iter(reader.at("dynamic", q, 1)), None),
            [place for place, _, _ in found],
        )
        if sorted(due) != sorted(hit.end_pos for hit in resumed):
            yield "the copies resumed are not those that the newest followed copy leads to"


def _places(hits: Sequence[Hit], written: int) -> Iterator[str]:
    for hit in hits:
        if hit.lineage != written - hit.end_pos:
            yield f"hit {hit.id} reads {written - hit.end_pos} tokens back, not {hit.lineage}"
        if hit.resumed and hit.count is not None:
            yield f"hit {hit.id} was resumed, yet its places were counted"


def _scored(reading: Reading, hits: Sequence[Hit], scores: dict[Lineage, float], written: int) -> Iterator[str]:
    p = reading.params
    after = new_scores([tried_copy(hit) for hit in hits if hit.proposed], written, p["alpha"]) if p["feedback"] else {}
    for hit in hits:
        lineage = lineage_of(source_of(hit), written, hit.end_pos, hit.match_len)
        before = scores.get(lineage, p["s0"])
        if not _close(hit.score_before, before):
            yield f"hit {hit.id} had score {before:.4g}, not {hit.score_before}"
        due = after.get(lineage) if hit.proposed else None
        if not _close(hit.score_after, due):
            yield f"hit {hit.id} should have score {due} now, not {hit.score_after}"


def _choices(reading: Reading, offers: Sequence[Offer], round: RoundReading) -> list[Choice]:
    p = reading.params
    longest = min(p["max_draft"], max(reading.room(round.step), 0))
    return [*choose(offers, longest, p["k_cand"], p["theta_score"])]


def _chosen(hits: Sequence[Hit], offers: Sequence[Offer], choices: Sequence[Choice]) -> Iterator[str]:
    if [offer.rank for offer in offers] != sorted(offer.rank for offer in offers):
        yield "hits are not in order of score, match, own text, newest"
    for hit, choice in zip(hits, choices, strict=True):
        if hit.status != choice.status:
            yield f"hit {hit.id} is {hit.status}, should be {choice.status}: {choice.why}"
        if hit.proposed > len(choice.branch):
            yield f"hit {hit.id} proposed {hit.proposed} tokens, its branch has {len(choice.branch)}"


def _close(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)

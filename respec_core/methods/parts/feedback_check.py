"""Scored candidates (arXiv 2511.01282), by position as in the paper or by lineage: scores, their order, who was kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from respec_core.methods.parts.lineage_check import lineage_problems
from respec_core.methods.parts.offered import copies_problems, offered_trees, scored_by_lineage
from respec_core.trace.checks.reading import Reading
from respec_core.trace.checks.sources import CORPUS_SOURCE
from respec_core.trace.round import Hit

TOLERANCE = 1e-9


def feedback_problems(reading: Reading) -> Iterator[str]:
    """Scores that the settings' rule does not give, and candidates kept or dropped against them."""
    scoring = "alpha" in reading.params and "theta_score" in reading.params
    if scoring and scored_by_lineage(reading):
        yield from lineage_problems(reading)
        return
    for round in reading.rounds:
        hits = round.step.retrieval
        if not scoring and any(hit.score_before is not None or hit.score_after is not None for hit in hits):
            yield f"{round.where}: the method scores no hits"
        if any(hit.lineage is not None or hit.resumed for hit in hits):
            yield f"{round.where}: the method knows no lineages"
    if scoring:
        yield from _by_position(reading)
        for round, offered in zip(reading.rounds, offered_trees(reading), strict=True):
            yield from (f"{round.where}: {problem}" for problem in copies_problems(reading, round, offered))


def _by_position(reading: Reading) -> Iterator[str]:
    params = reading.params
    scores: dict[tuple[str, int], float] = {}
    for round in reading.rounds:
        hits = round.step.retrieval
        for hit in hits:
            key = (CORPUS_SOURCE.get(hit.corpus, hit.corpus), hit.end_pos)
            before = scores.get(key, params["s0"])
            if hit.score_before is None or not _close(hit.score_before, before):
                yield f"{round.where}: hit {hit.id} had score {before:.4g}, not {hit.score_before}"
                continue
            if not hit.proposed or not params["feedback"]:
                if hit.score_after is not None:
                    yield f"{round.where}: hit {hit.id} has a new score, though it was not verified or scores do not move"
                continue
            after = (1 - params["alpha"]) * hit.score_before + params["alpha"] * hit.accepted / hit.proposed
            if hit.score_after is None or not _close(hit.score_after, after):
                yield f"{round.where}: hit {hit.id} should have score {after:.4g} now, not {hit.score_after}"
            else:
                scores[key] = hit.score_after
        yield from (f"{round.where}: {problem}" for problem in _selected(reading, hits, reading.room(round.step)))


def _selected(reading: Reading, hits: Sequence[Hit], room: int) -> Iterator[str]:
    params = reading.params
    order = [
        (-(hit.score_before or 0.0), -hit.match_len, CORPUS_SOURCE.get(hit.corpus) != "dynamic", -hit.end_pos)
        for hit in hits
    ]
    if order != sorted(order):
        yield "hits are not in order of score, match, own text, newest"
    kept: list[Hit] = []
    for hit in hits:
        score = hit.score_before if hit.score_before is not None else params["s0"]
        if hit.match_len < params["min_match"]:
            yield f"hit {hit.id} matches less than min_match"
        if (hit.status == "score_filtered") != (score < params["theta_score"]):
            yield f"hit {hit.id} is {hit.status} with a score of {score:.4g} against {params['theta_score']}"
        elif hit.status == "kept":
            if room < 1:
                continue  # nothing was drafted from it
            if len(kept) >= params["k_cand"]:
                yield f"hit {hit.id} is the {len(kept) + 1}th kept of at most {params['k_cand']}"
            if any(_branch(reading, hit, room) == _branch(reading, other, room) for other in kept):
                yield f"hit {hit.id} was kept although an equal branch was"
            kept.append(hit)
        elif hit.status == "cap_filtered":
            if len(kept) < params["k_cand"] and not any(hit.cont_ids[:1] == other.cont_ids[:1] for other in kept):
                yield f"hit {hit.id} was dropped although there was room for it"
        elif hit.status != "score_filtered":
            yield f"hit {hit.id} is {hit.status}, which this method does not do"


def _branch(reading: Reading, hit: Hit, room: int) -> tuple[int, ...]:
    """Tokens drafted from a hit: ``clip(round(longest · score), 2, longest)``, at most ``room``."""
    longest = reading.params["max_draft"]
    score = hit.score_before if hit.score_before is not None else reading.params["s0"]
    return hit.cont_ids[: min(max(round(longest * score), 2), longest, room)]


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)

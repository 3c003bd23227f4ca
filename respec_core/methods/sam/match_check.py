"""SAM-Decoding's match lengths (arXiv 2411.10666) again, and the place it copies from: what the run's own text gives."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.retrieval.suffix_automaton import SuffixCursor
from respec_core.trace.checks.hits import OWN_TEXT
from respec_core.trace.checks.reading import Reading
from respec_core.trace.round import Decision, Hit


def match_problems(reading: Reading) -> Iterator[str]:
    """Match lengths, thresholds and triggers that do not follow."""
    if "len_threshold" not in reading.params:
        return
    cursor, read = SuffixCursor(), 0
    for round in reading.rounds:
        decision = round.step.decision
        if decision.rule != "match_len":
            continue
        for token in reading.ids[read : round.step.ctx_len]:
            cursor.read(token)
        read = round.step.ctx_len
        problems = *_match(reading, decision, cursor.length), *_place(reading, round.step.retrieval, cursor)
        yield from (f"{round.where}: {problem}" for problem in problems)


def _match(reading: Reading, decision: Decision, longest: int) -> Iterator[str]:
    match, params = decision.match, reading.params
    if match is None:
        yield "the rule match_len shows no match lengths"
        return
    if (match.threshold, match.bias) != (params["len_threshold"], params["len_bias"]):
        yield "threshold or bias are not the settings'"
    if match.dyn != longest:
        yield f"the longest match in the run's own text has {longest} tokens, not {match.dyn}"
    if (match.static is not None) != ("datastore" in reading.run.models):
        yield "a static match without a datastore, or none with one"
    best = max(match.dyn, (match.static or 0) - match.bias)
    if decision.triggered != (best >= match.threshold):
        yield f"triggered is {decision.triggered} but the match is {best} against {match.threshold}"


def _place(reading: Reading, hits: tuple[Hit, ...], cursor: SuffixCursor) -> Iterator[str]:
    wanted = reading.traits.first_with(reading.params)
    which, places = (
        ("newest", cursor.occurrences()[:1]) if wanted is None else ("first", cursor.earliest(wanted)[1][-1:])
    )
    for hit in hits:
        if hit.corpus in OWN_TEXT and hit.end_pos not in places:
            yield f"hit {hit.id} copies from {hit.end_pos}, which is not the {which} place"

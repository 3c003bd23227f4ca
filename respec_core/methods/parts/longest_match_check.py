"""The match in the run's own text that is copied from, looked up again."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.retrieval.suffix_automaton import SuffixCursor
from respec_core.trace.checks.hits import OWN_TEXT
from respec_core.trace.checks.reading import Reading
from respec_core.trace.round import Hit


def longest_match_problems(reading: Reading) -> Iterator[str]:
    """Hits of another match, or of another number of places, than the method looks for."""
    if reading.traits.ngram(reading.params) is not None or reading.traits.levels(reading.config.params):
        return
    cursor, read = SuffixCursor(), 0
    for round in reading.rounds:
        for token in reading.ids[read : round.step.ctx_len]:
            cursor.read(token)
        read = round.step.ctx_len
        wanted = reading.traits.first_with(reading.params)
        longest, places = (cursor.length, cursor.occurrences()) if wanted is None else cursor.earliest(wanted)
        yield from (f"{round.where}: {problem}" for problem in _match(round.step.retrieval, longest, len(places)))


def _match(hits: tuple[Hit, ...], longest: int, places: int) -> Iterator[str]:
    for hit in hits:
        if hit.corpus not in OWN_TEXT:
            continue
        if hit.match_len != longest:
            yield f"hit {hit.id} matches {hit.match_len} tokens, the earlier match to copy from has {longest}"
        if hit.count is not None and hit.count != places:
            yield f"hit {hit.id} is one of {places} places, not {hit.count}"

"""The longest earlier match in the run's own text, looked up again."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.retrieval.suffix_automaton import SuffixCursor
from respec_core.trace.checks.hits import OWN_TEXT
from respec_core.trace.checks.reading import Reading
from respec_core.trace.round import Hit


def longest_match_problems(reading: Reading) -> Iterator[str]:
    """Hits of shorter matches, or of another number of places, where the method looks for the longest."""
    if reading.traits.ngram(reading.params) is not None:
        return
    cursor, read = SuffixCursor(), 0
    for round in reading.rounds:
        for token in reading.ids[read : round.step.ctx_len]:
            cursor.read(token)
        read = round.step.ctx_len
        yield from (f"{round.where}: {problem}" for problem in _longest_match(round.step.retrieval, cursor))


def _longest_match(hits: tuple[Hit, ...], cursor: SuffixCursor) -> Iterator[str]:
    for hit in hits:
        if hit.corpus not in OWN_TEXT:
            continue
        if hit.match_len != cursor.length:
            yield f"hit {hit.id} matches {hit.match_len} tokens, the longest earlier match has {cursor.length}"
        if hit.count is not None and hit.count != len(cursor.occurrences()):
            yield f"hit {hit.id} is one of {len(cursor.occurrences())} places, not {hit.count}"

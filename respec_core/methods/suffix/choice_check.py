"""What must hold of SuffixDecoding's record. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.methods.suffix.record import SuffixChoice, SuffixMatch
from respec_core.trace.checks.reading import Reading, RoundReading

TOLERANCE = 1e-6


def choice_problems(reading: Reading) -> Iterator[str]:
    """Choices that the scores contradict, and drafts that the choice does."""
    for round in reading.rounds:
        choice = round.step.record(SuffixChoice)
        if (choice is None) != (reading.run.method != "suffix"):
            yield f"{round.where}: a choice among matches belongs to suffix, and to all of its rounds"
        if choice is not None:
            yield from _problems(round, choice, reading)


def _problems(round: RoundReading, choice: SuffixChoice, reading: Reading) -> Iterator[str]:
    for match in choice.matches:
        yield from (f"{round.where}: {problem}" for problem in _contradictions(match, reading))
    if choice.chosen is None:
        if len(round.nodes) > 1 or any(match.score > 0 for match in choice.matches):
            yield f"{round.where}: no match was chosen, though one promises tokens or was drafted from"
        return
    if choice.chosen >= len(choice.matches):
        yield f"{round.where}: match {choice.chosen} was chosen of {len(choice.matches)}"
        return
    chosen = choice.matches[choice.chosen]
    best = max(range(len(choice.matches)), key=lambda i: (choice.matches[i].score, -i))
    if choice.matches[best].score > chosen.score + TOLERANCE:
        yield f"{round.where}: match {choice.chosen} was chosen with {chosen.score:.3f}, match {best} has {choice.matches[best].score:.3f}"
    if len(round.nodes) - 1 > chosen.drafted:
        yield f"{round.where}: {len(round.nodes) - 1} tokens were sent, and {chosen.drafted} drafted"


def _contradictions(match: SuffixMatch, reading: Reading) -> Iterator[str]:
    params = reading.params
    if match.drafted > match.allowed or match.allowed > params.get("max_spec", match.allowed):
        yield f"{match.drafted} tokens behind a match of {match.match_len}, which allows {match.allowed}"
    if match.score > match.drafted + TOLERANCE:
        yield f"a score of {match.score:.3f} for {match.drafted} tokens"
    if match.source == "dynamic" and match.places < 2:
        yield f"a match of {match.match_len} in the text itself that stands nowhere else"

"""What must hold of SuffixDecoding's record: all that its text determines is counted again. Imports no torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from respec_core.methods.suffix.places import OwnText
from respec_core.methods.suffix.promise import Promise, allowed, best_of, promised
from respec_core.methods.suffix.record import SuffixChoice, SuffixMatch
from respec_core.methods.suffix.settings import SuffixSettings
from respec_core.trace.checks.reading import Reading, RoundReading

TOLERANCE = 1e-6


def choice_problems(reading: Reading) -> Iterator[str]:
    """Matches that the text contradicts, choices that the scores do, and drafts that the choice does."""
    ours = reading.run.method == "suffix"
    own, settings = OwnText(), SuffixSettings(**reading.params) if ours else None
    own.read(reading.run.prompt_ids)
    written = 0
    for round in reading.rounds:
        choice = round.step.record(SuffixChoice)
        if (choice is None) == ours:
            yield f"{round.where}: a choice among matches belongs to suffix, and to all of its rounds"
        elif choice is not None and settings is not None:
            room = reading.config.stopping.max_new_tokens - written - 1
            problems = _contradicted(choice, own, settings, room, round)
            yield from (f"{round.where}: {problem}" for problem in problems)
        own.read(round.step.commit.emitted_ids)
        written += len(round.step.commit.emitted_ids)


def _contradicted(
    choice: SuffixChoice, own: OwnText, settings: SuffixSettings, room: int, round: RoundReading
) -> Iterator[str]:
    """The model's context may leave less room than the text's length does; then one smaller number explains all."""
    here = [match for match in choice.matches if match.source == "dynamic"]
    less = max((match.allowed for match in choice.matches), default=0)
    counted = _counted(own, settings, room)
    if not _agree(here, counted) and not _agree(here, counted := _counted(own, settings, min(room, less))):
        yield "the matches in the text itself are others, or promise something else"
        return
    yield from _stored(choice.matches[len(here) :], settings, room, less)
    if choice.chosen != best_of([match.score for match in choice.matches]):
        yield f"match {choice.chosen} was chosen, and another promises more"
        return
    yield from _decided(round, 0 if choice.chosen is None else choice.matches[choice.chosen].drafted)
    if choice.chosen is None:
        if len(round.nodes) > 1:
            yield "tokens were sent though no match promised one"
    elif choice.chosen < len(here):
        yield from _sent(round, counted[choice.chosen])
    else:
        yield from _sent_from_store(round, choice.matches[choice.chosen])


def _decided(round: RoundReading, drafted: int) -> Iterator[str]:
    decision, sizing = round.step.decision, round.step.decision.sizing
    if decision.chosen not in ("retrieval", "none") or (not drafted and decision.chosen != "none"):
        yield f"{decision.chosen} is said to have drafted"
    if sizing is not None and sizing.proposed != drafted:
        yield f"{sizing.proposed} nodes were proposed, {drafted} drafted"


def _stored(matches: Sequence[SuffixMatch], settings: SuffixSettings, room: int, less: int) -> Iterator[str]:
    """What a store that is not at hand can still not have said."""
    for match in matches:
        most = allowed(match.match_len, settings, room)
        if match.source == "dynamic" or match.drafted > match.allowed or match.allowed not in (most, min(most, less)):
            yield f"{match.drafted} tokens of {match.allowed} behind a match of {match.match_len} in the store"
        low, high = settings.min_prob * match.drafted, match.drafted
        if not low - TOLERANCE <= match.score <= high + TOLERANCE:
            yield f"a score of {match.score:.3f} for {match.drafted} tokens"
    for longer, shorter in pairwise(matches):
        if longer.match_len <= shorter.match_len or longer.places > shorter.places:
            yield f"a match of {longer.match_len} in {longer.places} places stands before one of {shorter.match_len} in {shorter.places}"


def _counted(own: OwnText, settings: SuffixSettings, room: int) -> list[Promise]:
    places = reversed([*own.places(settings.max_depth - 1)])
    return [promised(one, own.tails, settings, room) for one in places]


def _agree(told: Sequence[SuffixMatch], counted: Sequence[Promise]) -> bool:
    ours = [promise.told() for promise in counted]
    return len(told) == len(ours) and all(
        abs(a.score - b.score) <= TOLERANCE and a.model_copy(update={"score": b.score}) == b
        for a, b in zip(told, ours, strict=True)
    )


def _sent(round: RoundReading, promise: Promise) -> Iterator[str]:
    """Nodes that were not drafted behind the match, and hits that are none of its places."""
    drafted = promise.drafted
    shares: dict[tuple[int, ...], float] = {(): 1.0}
    paths: list[tuple[int, ...]] = []
    for token, parent, share in zip(drafted.tokens, drafted.parents, drafted.shares, strict=True):
        paths.append((*(paths[parent] if parent >= 0 else ()), token))
        shares[paths[-1]] = share
    sent: list[tuple[int, ...]] = []
    for node in round.nodes:
        sent.append((*sent[node.parent], node.token) if node.parent >= 0 else ())
        if sent[-1] not in shares:
            yield f"node {node.id} was not drafted behind the match"
        elif node.parent >= 0 and abs((node.path_score or 0.0) - shares[sent[-1]]) > TOLERANCE:
            yield f"node {node.id} has the score {node.path_score}, its share of the places is {shares[sent[-1]]:.3f}"
    for hit in round.step.retrieval:
        if hit.end_pos not in promise.places.ends or hit.count != len(promise.places.ends):
            yield f"hit {hit.id} at {hit.end_pos} is none of {len(promise.places.ends)} places"


def _sent_from_store(round: RoundReading, match: SuffixMatch) -> Iterator[str]:
    nodes, score = len(round.nodes) - 1, sum(node.path_score or 0.0 for node in round.nodes[1:])
    if nodes > match.drafted or score > match.score + TOLERANCE:
        yield f"{nodes} nodes with {score:.3f} of {match.drafted} tokens with {match.score:.3f}"
    if nodes == match.drafted and abs(score - match.score) > TOLERANCE:
        yield f"the nodes' scores are {score:.3f} together, the match's is {match.score:.3f}"
    for hit in round.step.retrieval:
        if (hit.match_len, hit.count) != (match.match_len, match.places):
            yield f"hit {hit.id} matches {hit.match_len} tokens in {hit.count} places, the match is of {match.match_len} in {match.places}"

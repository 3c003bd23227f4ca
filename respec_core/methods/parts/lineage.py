"""Copies by their lineage (ours, after arXiv 2511.01282): scores that outlive a round, and copies that go on elsewhere.

A copy's *diagonal* is how far back it reads: output position − source position. It stays the same while a copy goes on,
round after round, where an exact source position is left at once. So what is learned of a copy belongs to its lineage.
Imports no torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import NamedTuple

from respec_core.engine.records import Records, level
from respec_core.engine.tree import DraftTree
from respec_core.methods.parts.branches import copied_chain, match_chances
from respec_core.retrieval.retriever import Source
from respec_core.trace.round import Hit, HitStatus

SHORT = 2  # matches below are no evidence by themselves: they are scored, and filtered, apart
RESYNC = 4  # places beside a deviated copy's own at which it may go on, where a few tokens more or less were written
OFF = sorted(range(-RESYNC, RESYNC + 1), key=abs)
RESUMES = 2  # places at which one deviated copy is offered in a round
FOLLOWED = 3  # accepted tokens that make a copy worth resuming
FULL_REWARD = 4  # accepted tokens that count as a whole success, however long the branch was
SHORTEST_BRANCH = 24  # tokens offered behind the shortest match
MATCH_LEVELS = (2, 5, 12)  # matched tokens at which the record of copies is split
GOOD_SCORE = 0.4  # … and the score


CORPORA = frozenset({"prompt", "generated", "static"})  # in which copies are looked for


class Lineage(NamedTuple):
    """What a score belongs to."""

    source: Source
    diagonal: int
    short: bool


def lineage_of(source: Source, written: int, position: int, match: int) -> Lineage:
    """Of a copy that reads on from ``position`` where ``written`` tokens stand."""
    return Lineage(source, written - position, match < SHORT)


def branch_length(score: float, match: int, longest: int) -> int:
    """Tokens offered: as many as the score earns, and no fewer than the match vouches for."""
    return min(longest, max(round(longest * score), SHORTEST_BRANCH + match))


def moved(score: float, accepted: int, proposed: int, alpha: float) -> float:
    """``S ← S + α·(R − S)``, ``R`` being the accepted share of the branch's first tokens."""
    return score + alpha * (min(1.0, accepted / min(proposed, FULL_REWARD)) - score)


@dataclass(frozen=True)
class Tried:
    """A copy that was verified: where it read on, behind what match, its score then, and what came of it."""

    source: Source
    position: int
    match: int
    score: float
    proposed: int
    accepted: int


def source_of(hit: Hit) -> Source:
    """The text that a hit was found in."""
    return "static" if hit.corpus == "static" else "dynamic"


def tried_copy(hit: Hit) -> Tried:
    """A verified hit."""
    return Tried(source_of(hit), hit.end_pos, hit.match_len, hit.score_before or 0.0, hit.proposed, hit.accepted)


def new_scores(tried: Iterable[Tried], written: int, alpha: float) -> dict[Lineage, float]:
    """Scores after a round; of several copies of one lineage the best counts."""
    scores: dict[Lineage, float] = {}
    for copy in tried:
        lineage = lineage_of(copy.source, written, copy.position, copy.match)
        after = moved(copy.score, copy.accepted, copy.proposed, alpha)
        scores[lineage] = max(scores.get(lineage, after), after)
    return scores


@dataclass(frozen=True)
class Trail:
    """The newest copy that was followed, and how many tokens ago.

    Attributes:
        position: where its source stands beside the end of what is written.
        age: tokens written since; 0 while the copy goes on.
    """

    source: Source
    position: int
    age: int = 0

    @property
    def near(self) -> Iterator[int]:
        """Places at which it may go on, the nearest first."""
        return (self.position + off for off in OFF)

    def resumes(self, last: int, at: Callable[[int], int | None], taken: Iterable[int]) -> Iterator[int]:
        """Up to :data:`RESUMES` places where the copy may go on: behind a token like the ``last`` one, else its own.

        Args:
            at: the source's token at a position, None outside it.
            taken: places that are offered anyway.
        """
        likely = [q for q in self.near if q > 0 and at(q - 1) == last]
        known = set(taken)
        free = [q for q in dict.fromkeys([*likely, self.position]) if q > 0 and at(q) is not None and q not in known]
        yield from free[:RESUMES]


def followed(trail: Trail | None, tried: Iterable[Tried], emitted: int) -> Trail | None:
    """The trail after a round that wrote ``emitted`` tokens: of the best copy, if it was followed; else the old one."""
    best = max(tried, key=lambda copy: (copy.accepted, copy.position), default=None)
    if best is not None and best.accepted >= FOLLOWED:
        return Trail(best.source, best.position + emitted)
    return trail and Trail(trail.source, trail.position + emitted, trail.age + emitted)


@dataclass(frozen=True)
class Offer:
    """A candidate: where it reads on, behind what match, its score.

    Attributes:
        continuation: what stands there, up to the longest branch.
        resumed: whether only a trail led here.
        count: how many places share its match; None where they were not counted.
    """

    source: Source
    position: int
    match: int
    continuation: tuple[int, ...]
    score: float
    resumed: bool = False
    count: int | None = None

    @property
    def rank(self) -> tuple[float, int, bool, int]:
        """Best score first, then the longer match, the run's own text, the newest."""
        return (-self.score, -self.match, self.source != "dynamic", -self.position)

    def kind(self, depth: int) -> tuple[int, bool]:
        """Of its token at this depth, 1 for the first: behind such a match, the accepted copy included, at such a score."""
        return level(self.match + depth - 1, MATCH_LEVELS), self.score >= GOOD_SCORE

    def kinds(self, length: int) -> Iterator[tuple[tuple[int, bool], slice]]:
        """Its first ``length`` tokens, as many at a time as are of one kind."""
        start, good = 0, self.score >= GOOD_SCORE
        for at, bound in enumerate((*MATCH_LEVELS, self.match + length)):
            end = min(max(bound - self.match, start), length)
            if end > start:
                yield (at, good), slice(start, end)
            start = end


class Choice(NamedTuple):
    """What becomes of an offer: its branch, empty where it is dropped, and why."""

    branch: tuple[int, ...]
    status: HitStatus
    why: str


def offer_of(hit: Hit) -> Offer:
    """What a recorded hit offered."""
    score = hit.score_before or 0.0
    return Offer(source_of(hit), hit.end_pos, hit.match_len, hit.cont_ids, score, hit.resumed)


def chances(records: Records, offer: Offer, length: int) -> list[float]:
    """How likely 1, 2 … ``length`` of its tokens are accepted, by this run's record of such copies.

    A copy that goes on has an ever longer match: without a record, n tokens behind a match of m have ``m / (m + n)``.
    """
    guesses = match_chances(offer.match, length)
    rates = [rate for kind, part in offer.kinds(length) for rate in records.rates(kind, guesses[part])]
    return [*accumulate(rates, mul)]


def copied_tree(root: int, branches: Iterable[tuple[int, Offer, tuple[int, ...]]], records: Records) -> DraftTree:
    """All branches below ``root``, each with its hit's number; path scores are this run's record of such copies."""
    chains = [
        copied_chain(root, branch, offer.source, chances(records, offer, len(branch)), number)
        for number, offer, branch in branches
    ]
    return chains[0].merge(*chains[1:]) if chains else DraftTree.root(root)


def judge(records: Records, offers: Iterable[tuple[Offer, tuple[int, ...]]], emitted: Sequence[int]) -> None:
    """Count what was written behind every branch that was chosen, up to its first wrong token."""
    for offer, branch in offers:
        for depth, (copied, written) in enumerate(zip(branch, emitted, strict=False), 1):
            records.add(offer.kind(depth), right=copied == written)
            if copied != written:
                break


def choose(offers: Iterable[Offer], longest: int, most: int, threshold: float) -> Iterator[Choice]:
    """The best ``most`` distinct branches of ``offers``, best first; scores filter only what no match speaks for.

    Args:
        longest: tokens of a branch at most.
    """
    branches: list[tuple[int, ...]] = []
    for offer in offers:
        branch = offer.continuation[: branch_length(offer.score, offer.match, longest)]
        if offer.match < SHORT and offer.score < threshold:
            yield Choice((), "score_filtered", f"score {offer.score:.2f} is below {threshold:g}")
        elif any(other[: len(branch)] == branch for other in branches):
            yield Choice((), "cap_filtered", "the same tokens as a better candidate")
        elif len(branches) == most:
            yield Choice((), "cap_filtered", f"{most} candidates are better")
        else:
            branches.append(branch)
            how = "resumed" if offer.resumed else f"match of {offer.match} tokens"
            yield Choice(branch, "kept", f"{how}, branch of {len(branch)}")

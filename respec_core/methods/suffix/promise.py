"""What a match promises: how much may be drafted behind it, and what its places go on with. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from respec_core.methods.suffix.counting import GROW, CountedDraft, Tail
from respec_core.methods.suffix.places import Places
from respec_core.methods.suffix.record import SuffixMatch
from respec_core.methods.suffix.settings import SuffixSettings

ROUNDED_UP = 1e-6  # the authors', so that 0.1 × 10 is 1


@dataclass(frozen=True)
class Promise:
    """A match, and the draft behind it.

    Attributes:
        tails: what stands behind each of the places.
        allowed: most tokens, by the match's length.
    """

    places: Places
    drafted: CountedDraft
    tails: Sequence[Tail]
    allowed: int

    def told(self) -> SuffixMatch:
        """For the trace."""
        return SuffixMatch.model_construct(
            source=self.places.source,
            match_len=self.places.match_len,
            places=self.places.count,
            allowed=self.allowed,
            drafted=len(self.drafted.tokens),
            score=self.drafted.score,
        )


def promised(
    places: Places, tails_of: Callable[[Places, int], Sequence[Tail]], settings: SuffixSettings, room: int
) -> Promise:
    """Of matches at the same places the one that may draft most; then the longest that may draft as much.

    Args:
        tails_of: up to so many tokens behind each of the places.
        room: most tokens that a draft may have.
    """
    lengths = range(places.match_len, places.shortest - 1, -1)
    limit = max(allowed(length, settings, room) for length in lengths)
    tails = tails_of(places, limit)
    drafted = GROW[settings.form](tails, places.count, limit, settings.min_prob)
    match = next(m for m in lengths if allowed(m, settings, room) >= len(drafted.tokens))
    return Promise(replace(places, match_len=match), drafted, tails, allowed(match, settings, room))


def allowed(match: int, settings: SuffixSettings, room: int) -> int:
    """Tokens that may be drafted behind a match of so many."""
    by_match = int(match * settings.spec_factor + settings.spec_offset + ROUNDED_UP)
    return max(min(settings.max_spec, by_match, settings.max_depth - match, room), 0)


def best_of(scores: Sequence[float]) -> int | None:
    """The first of the highest; None where none promises anything."""
    best = max(range(len(scores)), key=lambda i: (scores[i], -i), default=None)
    return None if best is None or scores[best] <= 0 else best

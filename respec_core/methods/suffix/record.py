"""What SuffixDecoding adds to a round of the trace."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from respec_core.boundary.limits import MAX_FEW, Count
from respec_core.trace.record import MethodRecord, Record


class SuffixMatch(Record):
    """A match and the draft behind it: ``score`` is the sum of its tokens' estimated probabilities.

    ``places`` are its occurrences, in the run's own text with the newest tokens themselves; ``drafted`` tokens, of
    ``allowed`` by the length of the match.
    """

    source: Literal["dynamic", "static"]
    match_len: Count
    places: Count
    allowed: Count
    drafted: Count
    score: Annotated[float, Field(ge=0)]


class SuffixChoice(MethodRecord):
    """All matches, longest first in the run's own text and then in the store; ``chosen`` is the best one's index."""

    matches: Annotated[tuple[SuffixMatch, ...], Field(max_length=MAX_FEW)]
    chosen: Count | None = None

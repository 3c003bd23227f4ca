"""What RAPID adds to a round of the trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from respec_core.boundary.limits import MAX_HITS, Count, Probability, TokenId
from respec_core.trace.record import MethodRecord, Record

MOST_PULLED = 32  # tokens of a row that are written down
MAX_CHUNKS = 8192


class Chunk(Record):
    """A piece of the prompt, tokens ``start`` to ``end``: its ``score`` for the question, and whether the drafter reads it."""

    start: Count
    end: Count
    score: float
    kept: bool


class Pulled(Record):
    """A token that the drafter thinks possible: the target's probability of it, and the drafter's."""

    token: TokenId
    text: str
    p: Probability
    q: Probability


class PulledRow(Record):
    """A drafted token that the target judged, node ``node``: its ``p``, ``q`` and the pulled ``p̂``.

    ``candidates`` are all tokens that are pulled, or the drafter's best of them where they are more than 32: with ``p`` and ``q``
    of all of them p̂ follows for any η.
    """

    node: Count
    p: Probability
    q: Probability
    pulled: Probability
    candidates: Annotated[tuple[Pulled, ...], Field(max_length=MOST_PULLED)]
    whole: bool


class Shortening(MethodRecord):
    """What the drafter read, ``read`` tokens of the prompt: its ``chunks`` in the first round; of sampled rounds the ``rows``."""

    read: Count
    chunks: Annotated[tuple[Chunk, ...], Field(max_length=MAX_CHUNKS)] = ()
    rows: Annotated[tuple[PulledRow, ...], Field(max_length=MAX_HITS)] = ()
    eta: float = 0.0

    @property
    def cells(self) -> int:
        """Candidates and pieces."""
        return len(self.chunks) + sum(len(row.candidates) for row in self.rows)

    def spelt(self) -> Iterator[tuple[int, str]]:
        """Every candidate."""
        for row in self.rows:
            yield from ((one.token, one.text) for one in row.candidates)

"""What RACER adds to a round of the trace."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from respec_core.boundary.limits import MAX_FEW, Count
from respec_core.trace.record import MethodRecord, Record


class RacerBorder(Record):
    """An end of the text of ``match_len`` tokens that ``windows`` remembered n-grams begin with.

    ``idle`` tokens ago it was last in use; ``sent`` drafted tokens go on from it.
    """

    match_len: Count
    windows: Count
    idle: Count
    sent: Count


class RacerBudget(MethodRecord):
    """Borders, the longest first, and how the draft's size was shared out, at most ``room`` tokens deep.

    ``retrieved`` tokens are from n-grams, ``from_logits`` from remembered successors, ``shared`` from both; of ``states``
    in the automaton so far ``forgotten`` are gone.
    """

    borders: Annotated[tuple[RacerBorder, ...], Field(max_length=MAX_FEW)]
    retrieved: Count
    from_logits: Count
    shared: Count
    room: Count
    states: Count
    forgotten: Count

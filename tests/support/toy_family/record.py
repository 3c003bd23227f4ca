"""What the toy adds to a round of the trace."""

from __future__ import annotations

from respec_core.boundary.limits import Count
from respec_core.trace.record import MethodRecord


class Memory(MethodRecord):
    """How many tokens had a remembered successor, and what of the draft went out and came back."""

    known: Count
    drafted: Count
    accepted: Count

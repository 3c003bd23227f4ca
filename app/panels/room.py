"""How much a panel may draw of one round, so that a long run, or a hostile trace, still fits into one message."""

from __future__ import annotations

MOST = 40_000  # nodes, or cells, that one panel draws of a whole run
LEAST = 12  # of a round, however many rounds there are


def room_for(rounds: int) -> int:
    """Nodes or cells a round, for a run of ``rounds``; each panel has a limit of its own besides."""
    return max(LEAST, MOST // max(1, rounds))


WHOLE = room_for(1)

"""How often something is done that takes its time from the engine."""

from __future__ import annotations

from math import inf


class Pace:
    """At most once in ``seconds`` and in ``share`` of the time, but at least once in ``longest``.

    Attributes:
        due: when it may be done next, on the clock of whoever asks.
    """

    def __init__(self, seconds: float, share: float, longest: float = inf) -> None:
        self.seconds, self.share, self.longest = seconds, share, longest
        self.due = 0.0

    def done(self, began: float, took: float) -> None:
        """It was done from ``began`` on and took so many seconds."""
        self.due = began + max(self.seconds, min(self.longest, took / self.share))

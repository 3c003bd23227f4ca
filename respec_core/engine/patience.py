"""Whether to go on with drafts that cost time: an account of what they won over plain decoding, and rests where they lose.

The time a drafter takes is spent when the size of its draft is chosen, so a size alone cannot save it. The account is in
tokens of plain decoding and forgets slowly. Beyond a small loss drafts rest, for longer each time, and are then tried
once. It hangs on past rounds only, so samples follow the target's distribution whatever it says.
"""

from __future__ import annotations

FORGETTING = 0.98  # weight of the past, a round
SLACK = 0.75  # tokens that may be lost before a rest
CREDIT = 2.0  # tokens won that can be lost again
FIRST_REST, LONGEST_REST = 4, 32  # rounds; every rest is twice as long as the one before
FORESEEN = 2  # tokens in a row that would have been right, after which it is tried at once


class Patience:
    """One account; ``balance`` is between -``SLACK`` and ``CREDIT``, and begins at ``credit``."""

    def __init__(self, credit: float = 0.0) -> None:
        self.balance = credit
        self._last = self._left = self._foreseen = 0  # rounds of the newest rest, of it to come; tokens in a row

    @property
    def resting(self) -> bool:
        """Whether the next round does without."""
        return self._left > 0

    def asked(self, won: float) -> None:
        """A round with such drafts brought ``won`` tokens more than plain decoding in its time, or fewer."""
        self.balance = min(FORGETTING * self.balance + won, CREDIT)
        if self.balance >= 0:
            self._last = 0
        elif self.balance < -SLACK:
            self.balance = -SLACK
            self._last = self._left = min(max(2 * self._last, FIRST_REST), LONGEST_REST)
            self._foreseen = 0

    def rested(self, *, foreseen: bool = False) -> None:
        """A round did without; ``foreseen`` where what it left out is known to have been right."""
        self._left -= 1
        self._foreseen = self._foreseen + 1 if foreseen else 0
        if self._foreseen == FORESEEN:
            self._left = self._foreseen = 0

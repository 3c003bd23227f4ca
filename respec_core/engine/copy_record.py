"""How often copies go on in a run, by the length of their match: judged by what was written, whether they were sent or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import mul

from respec_core.engine.records import Records, level
from respec_core.trace.round import Hit

TEXTS = frozenset({"prompt", "generated", "static", "datastore"})  # whose matches are of tokens in a row
MATCH_LEVELS = (2, 3, 5, 12)  # matched tokens at which the record is split
FIRST_GUESSES = (0.1, 0.5, 0.65, 0.7)  # behind matches of 1 to 4 tokens
SUREST = 0.75  # behind longer ones: a long draft is sent where the run has shown that copies go on


class CopyRecord:
    """One run's."""

    def __init__(self) -> None:
        self._records = Records()

    def chances(self, hit: Hit, length: int) -> list[float]:
        """That 1, 2 … ``length`` of its tokens are right; empty where its match says nothing."""
        if not _copied(hit):
            return []
        matches = range(hit.match_len, hit.match_len + length)
        rates = (self._records.rates(_kind(hit, match), (first_guess(match),))[0] for match in matches)
        return [*accumulate(rates, mul)]

    def judge(self, hits: Iterable[Hit], emitted: Sequence[int]) -> None:
        """Count what was ``emitted`` where they read on, each up to its first wrong token."""
        for hit in filter(_copied, hits):
            for match, (copied, written) in enumerate(zip(hit.cont_ids, emitted, strict=False), hit.match_len):
                self._records.add(_kind(hit, match), right=copied == written)
                if copied != written:
                    break


def first_guess(match: int) -> float:
    """That a copy goes on behind a match of so many tokens, before the run has shown its own rate.

    Every text counting once it was 0.22, 0.58, 0.68, 0.70 and 0.70 behind 1 to 5 tokens and 0.68 to 0.84 behind eight to twelve (Beta
    distributions fitted to 240 Spec-Bench texts). The guesses are lower: a wrong copy is paid for, while one that was right and not
    sent speaks for the next.
    """
    return FIRST_GUESSES[match - 1] if match <= len(FIRST_GUESSES) else SUREST


def _copied(hit: Hit) -> bool:
    return hit.corpus in TEXTS and hit.match_len > 0


def _kind(hit: Hit, match: int) -> tuple[bool, int]:
    """Of the run's own text or another, behind such a match."""
    return hit.corpus in ("static", "datastore"), level(match, MATCH_LEVELS)

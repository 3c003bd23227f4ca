"""How a method drafts, as far as the shared checks must know to read its traces. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from respec_core.trace.round import Rule

Params = Mapping[str, Any]


def by_match(match: int, depth: int) -> float:
    """A copied node's path score: each token is as likely as its match is long, ``m / (m + 1)``."""
    return float((match / (match + 1)) ** depth)


@dataclass(frozen=True)
class Traits:
    """What a method declares of its drafts; the callables are given its settings.

    Attributes:
        rule: what its decisions are made by; of a method that has several, by its settings.
        samples: whether its model's drafts are sampled where the target samples, so that acceptance compares p with q.
        transfers: whether the target is pulled towards such a draft's distribution before it accepts.
        ngram: longest match in the run's own text that it looks for; None for the longest there is.
        levels: whether it looks for shorter matches beside the longest; given the settings that a trace names, as older
            ones name none of it.
        reads: tokens read behind such a match; None where nothing settles it.
        first_with: tokens that it wants behind the place it copies from, which is then the first with so many, be its match
            shorter; None where it copies from places of the longest match.
        within_room: whether it reads no further than a draft may reach.
        score: a copied node's path score by its match's length and its depth; None where more than these decide.
        one_size: whether a size of its own cuts all parts of a draft together.
    """

    rule: Rule | Callable[[Params], Rule] = "always"
    samples: Callable[[Params], bool] = lambda params: False
    transfers: Callable[[Params], bool] = lambda params: False
    ngram: Callable[[Params], int | None] = lambda params: None
    levels: Callable[[Params], bool] = lambda params: False
    reads: Callable[[Params], int | None] = lambda params: None
    first_with: Callable[[Params], int | None] = lambda params: None
    within_room: bool = False
    score: Callable[[int, int], float] | None = by_match
    one_size: bool = False

    def decided_by(self, params: Params) -> Rule:
        """The rule under these settings."""
        return self.rule(params) if callable(self.rule) else self.rule


USUAL = Traits()  # of a method that declares nothing

"""Copied branches of a draft tree: how long, and how likely each token is. Imports no torch."""

from __future__ import annotations

from collections.abc import Sequence

from respec_core.engine.tree import DraftTree


def branch_length(score: float, longest: int) -> int:
    """Tokens drafted from a candidate of this score (ours): ``clip(round(longest · score), 2, longest)``."""
    return min(max(round(longest * score), 2), longest)


def match_chance(match: int) -> float:
    """A longer match makes each copied token likelier: ``m / (m + 1)``."""
    return max(match, 1) / (max(match, 1) + 1)


def match_chances(match: int, length: int) -> list[float]:
    """Of each of ``length`` tokens behind a match that is longer by those before it."""
    return [match_chance(match), *(m / (m + 1) for m in range(match + 1, match + length))][:length]


def copied_chain(root: int, tokens: Sequence[int], source: str, chances: Sequence[float], hit: int) -> DraftTree:
    """A copied branch below ``root`` with the chance that so many of its tokens are accepted."""
    return DraftTree.chain(root, tokens, source, scores=chances[: len(tokens)], hits=(hit,))

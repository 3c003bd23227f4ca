"""How a rule goes down a draft tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Wish:
    """What the strict rule would have taken in place of a token that a lossy rule let pass, with its probability."""

    token: int
    p: float


@dataclass(frozen=True)
class WayDown:
    """Accepted nodes.

    Attributes:
        path: top to bottom.
        wishes: for each node that passed although it is not the target's own token, what that is.
    """

    path: tuple[int, ...] = ()
    wishes: Mapping[int, Wish] = field(default_factory=dict)

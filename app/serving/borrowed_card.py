"""On a Space that lends its card for the length of a call (ZeroGPU): there the package ``spaces`` has a decorator for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

LENT_SECONDS = 120  # what a run may take there; more is lent to few

Alone = Callable[[Any], Iterator[Any]]


def borrowing(run: Alone) -> Alone | None:
    """``run`` as it has to be called for a card to be lent; None where none is lent, which is nearly everywhere."""
    try:
        spaces = import_module("spaces")
    except ImportError:
        return None
    decorated: Alone = spaces.GPU(run, duration=LENT_SECONDS)
    return None if decorated == run else decorated  # elsewhere it leaves what it is given alone

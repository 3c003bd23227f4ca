"""Settings that name several of a few things, in an order: ``sam+eagle2``. Imports no torch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

BETWEEN = re.compile(r"[+,\s]+")
JOINED = "+"


def names_in(text: str) -> tuple[str, ...]:
    """The names in a value, in their order."""
    return tuple(name for name in BETWEEN.split(text) if name)


def several(value: Any, of: Sequence[str], what: str) -> str:
    """One spelling of what was given as text or as a list.

    Args:
        of: the names there are.
        what: one of them is called, in sentences.

    Raises:
        ValueError: for none, for one that is not there, and for one named twice.
    """
    if isinstance(value, str):
        names = names_in(value)
    elif isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        names = tuple(value)
    else:
        raise ValueError(f"name each {what}, with + between them")
    there = ", ".join(of)
    if not names:
        raise ValueError(f"name at least one {what} of: {there}")
    if unknown := next((name for name in names if name not in of), None):
        raise ValueError(f"there is no {what} {unknown!r}; there are: {there}")
    if len(set(names)) < len(names):
        raise ValueError(f"a {what} is named twice")
    return JOINED.join(names)

"""Memory: Python's search for garbage kept from what is no garbage, and what loading used given back."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache


@contextmanager
def uncollected() -> Iterator[None]:
    """No search meanwhile: reading a tokenizer makes so much that it starts several."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@cache
def leave_out_modules() -> None:
    """What is there at the first call is never searched again, in no run either: going through all that torch and transformers
    have made takes 0.2 s, and none of it ends before the process."""
    gc.freeze()


def give_back() -> None:
    """What loading used and the C library keeps for later, 50 MB or so, where it can be told to (glibc)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)

"""Python's search for garbage that counting references does not find, kept from what is no garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@contextmanager
def uncollected() -> Iterator[None]:
    """No search meanwhile: each would go through all that torch and transformers have made, 0.2 s, and reading a tokenizer
    starts one or two. What is there at the first call, modules and the like, is never searched again, in no run either."""
    _leave_out_modules()
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@cache
def _leave_out_modules() -> None:
    gc.freeze()

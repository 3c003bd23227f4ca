"""Calls of torch that warn of what is known."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_FILTERS = threading.Lock()  # of warnings are the process's


@contextmanager
def without_warnings() -> Iterator[None]:
    """None is shown while this is open, by one thread at a time."""
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield

"""The engine runs ahead of whoever reads, ends with them, and what ends it is heard behind what it made."""

from __future__ import annotations

import threading
from collections.abc import Generator

import pytest

from app.engine_thread import apart


def test_it_makes_all_while_nobody_reads() -> None:
    done = threading.Event()

    def make() -> Generator[int, None, None]:
        yield from range(100)
        done.set()

    items = apart(make)
    assert next(items) == 0
    assert done.wait(60), "it waited for its reader"
    assert list(items) == list(range(1, 100))


def test_an_error_comes_behind_what_was_made() -> None:
    def make() -> Generator[int, None, None]:
        yield 1
        raise ValueError("no more")

    items = apart(make)
    assert next(items) == 1
    with pytest.raises(ValueError, match="no more"):
        next(items)


def test_closing_closes_it_in_its_own_thread_and_waits_for_that() -> None:
    closed: list[str] = []

    def make() -> Generator[int, None, None]:
        try:
            while True:
                yield 1
        finally:
            closed.append(threading.current_thread().name)

    threads = threading.active_count()
    items = apart(make)
    next(items)
    items.close()
    assert closed == ["engine"] and threading.active_count() == threads

"""The engine in a thread of its own: what it makes waits in a queue, so that whoever draws it does not slow it down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import closing
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")


class _End:
    """Behind the last; ``error``: what ended it."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def apart(make: Callable[[], Generator[T, None, None]]) -> Generator[T, None, None]:
    """What ``make()`` yields, made ahead in another thread. Closing this ends it at its next item, which is then lost.

    Raises:
        BaseException: what it raised, behind all that it had made.
    """
    made: SimpleQueue[T | _End] = SimpleQueue()
    left = threading.Event()

    def work() -> None:
        error: BaseException | None = None
        try:
            with closing(make()) as items:
                for item in items:
                    made.put(item)
                    if left.is_set():
                        break
        except BaseException as raised:  # whatever it is, the reader is to hear of it
            error = raised
        made.put(_End(error))

    thread = threading.Thread(target=work, daemon=True, name="engine")
    thread.start()
    try:
        while not isinstance(item := made.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        left.set()
        thread.join()

"""Which running streams were asked to stop. A stream's name is chosen by its page and means nothing to others."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

REMEMBERED = 1024


class Stops:
    """A bounded set: old requests are forgotten, whether they were used or not."""

    def __init__(self) -> None:
        self._asked: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lock = threading.Lock()

    def ask(self, session: str, stream: str) -> None:
        """Stop ``stream`` of ``session``, running or still in the queue."""
        with self._lock:
            self._asked[session, stream] = None
            while len(self._asked) > REMEMBERED:
                self._asked.popitem(last=False)

    def check(self, session: str, stream: str) -> Callable[[], bool]:
        """A function that says whether that stream was asked to stop."""
        return lambda: (session, stream) in self._asked

    def forget(self, session: str, stream: str) -> None:
        """The stream has ended."""
        with self._lock:
            self._asked.pop((session, stream), None)

"""What runs have sent, for a page that missed a part of its own: a browser lets packets go by in a tab that is not seen."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

MOST = 4  # runs; the oldest gives way


class SentPackets:
    """The packets of the newest runs, by the name of their stream, which only its page knows."""

    def __init__(self) -> None:
        self._packets: OrderedDict[str, list[str]] = OrderedDict()
        self._lock = threading.Lock()

    def through(self, stream: str, parts: Generator[Any, None, None]) -> Iterator[Any]:
        """``parts``, of which the packets are remembered; closed with this one, as when the visitor leaves."""
        packets: list[str] = []
        with self._lock:
            self._packets[stream] = packets
            while len(self._packets) > MOST:
                self._packets.popitem(last=False)
        with closing(parts):
            for part in parts:
                if isinstance(part, str):
                    packets.append(part)
                yield part

    def all_of(self, stream: Any = None) -> str:
        """All packets of a stream as one JSON list, empty where they are gone; called by the browser."""
        with self._lock:
            return f"[{','.join(self._packets.get(str(stream), ()))}]"

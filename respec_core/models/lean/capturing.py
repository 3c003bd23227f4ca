"""From a step that launches its kernels one by one to one that launches them all at once: CUDA graphs."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

import torch

R = TypeVar("R")

WARM_UPS = 2  # libraries choose their kernels and take their memory before a capture
_ONE_AT_A_TIME = Lock()


class Capturing:
    """Steps as CUDA graphs in one pool of memory. A step must read its input from, and write to, addresses that stay.

    A graph's result is overwritten whenever a graph of the same pool runs: copy it at once.
    """

    def __init__(self, device: torch.device) -> None:
        self._stream, self._pool = torch.cuda.Stream(device), torch.cuda.graph_pool_handle()

    def __call__(self, step: Callable[[], R]) -> Callable[[], R]:
        """``step``, run a few times and then recorded; the result replays what was recorded.

        Other threads go on meanwhile, each with a stream that is its own business, and the current stream is the one it
        was, also if this fails.

        Raises:
            RuntimeError: for what cannot be captured.
        """
        graph = torch.cuda.CUDAGraph()
        with _ONE_AT_A_TIME:
            before = torch.cuda.current_stream(self._stream.device)
            self._stream.wait_stream(before)
            try:
                with torch.cuda.stream(self._stream):
                    result = self._captured(graph, step)
            finally:
                before.wait_stream(self._stream)

        def replay() -> R:
            graph.replay()
            return result

        return replay

    def _captured(self, graph: torch.cuda.CUDAGraph, step: Callable[[], R]) -> R:
        for _ in range(WARM_UPS):
            step()
        graph.capture_begin(self._pool, capture_error_mode="thread_local")
        try:
            return step()
        finally:
            graph.capture_end()

"""From a step that launches its kernels one by one to one that launches them all at once."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import torch
from torch import Tensor

Result = tuple[Tensor, dict[int, Tensor]]
Step = Callable[[], Result]
Launch = Callable[[Step], Step]  # makes the step that is called of the step as it is written

WARM_UPS = 2  # libraries choose their kernels and take their memory before a capture
_ONE_AT_A_TIME = Lock()


def called(step: Step) -> Step:
    """``step`` itself: what processors do."""
    return step


class Capturing:
    """Steps as CUDA graphs in one pool of memory. A step must read its input from, and write to, addresses that stay.

    A graph's result is overwritten whenever a graph of the same pool runs: copy it at once.
    """

    def __init__(self, device: torch.device) -> None:
        self._stream, self._pool = torch.cuda.Stream(device), torch.cuda.graph_pool_handle()

    def __call__(self, step: Step) -> Step:
        """``step``, run a few times and then recorded; the result replays what was recorded."""
        graph = torch.cuda.CUDAGraph()
        with _ONE_AT_A_TIME:
            before = torch.cuda.current_stream(self._stream.device)
            self._stream.wait_stream(before)
            with torch.cuda.stream(self._stream):
                for _ in range(WARM_UPS):
                    step()
            before.wait_stream(self._stream)
            with torch.cuda.graph(graph, self._pool, self._stream, capture_error_mode="thread_local"):
                result = step()

        def replay() -> Result:
            graph.replay()
            return result

        return replay

"""Capturing leaves things as they were, also when it fails: on a stand-in for the card's streams and graphs."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from respec_core.models.lean import capturing
from respec_core.models.lean.capturing import Capturing


class Card:
    """Streams by name, and what was done on which."""

    class Stream:
        def __init__(self, card, name) -> None:
            self.card, self.name, self.device = card, name, "cuda:0"

        def wait_stream(self, other) -> None:
            self.card.done.append(f"{self.name} waits for {other.name}")

    def __init__(self, fails="") -> None:
        self.done, self.fails = [], fails
        self.current = self.Stream(self, "main")

    def do(self, what) -> None:
        self.done.append(f"{self.current.name}: {what}")
        if what == self.fails:
            raise RuntimeError(f"{what} is not possible")

    @contextmanager
    def stream(self, stream):
        before, self.current = self.current, stream
        try:
            yield
        finally:
            self.current = before


@pytest.fixture
def card(monkeypatch, request):
    card = Card(getattr(request, "param", ""))

    class Graph:
        def capture_begin(self, pool, capture_error_mode) -> None:
            assert (pool, capture_error_mode) == ("pool", "thread_local")
            card.do("begin")

        def capture_end(self) -> None:
            card.do("end")

        def replay(self) -> None:
            card.do("replay")

    fakes = {
        "CUDAGraph": Graph,
        "Stream": lambda device: card.Stream(card, "side"),
        "graph_pool_handle": lambda: "pool",
        "current_stream": lambda device: card.current,
        "stream": card.stream,
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(capturing.torch.cuda, name, fake)
    return card


def test_a_step_is_warmed_up_and_captured_on_a_stream_beside_and_replayed_on_the_current(card):
    replay = Capturing("cuda:0")(lambda: card.do("step") or 5)
    assert (replay(), replay()) == (5, 5)
    steps = ["side: step", "side: step", "side: begin", "side: step", "side: end"]
    around = ["side waits for main", *steps, "main waits for side"]
    assert card.done == [*around, "main: replay", "main: replay"]


@pytest.mark.parametrize("card", ["step", "begin", "end"], indirect=True)
def test_after_a_failure_the_stream_is_the_one_before_and_the_next_may_capture(card):
    launch, main = Capturing("cuda:0"), card.current
    with pytest.raises(RuntimeError, match=f"{card.fails} is not possible"):
        launch(lambda: card.do("step"))
    assert card.current is main
    assert card.done[-1] == "main waits for side"
    card.fails = ""
    launch(lambda: card.do("step"))()
    assert card.done[-1] == "main: replay"


def test_a_capture_in_which_the_step_fails_is_ended(card):
    steps = iter(["step", "step", "capture"])
    card.fails = "capture"
    with pytest.raises(RuntimeError, match="capture is not possible"):
        Capturing("cuda:0")(lambda: card.do(next(steps)))
    assert card.done[-2:] == ["side: end", "main waits for side"]

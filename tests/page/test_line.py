"""Places in the line: by arrival, up to the limits, each with the wait that is to be expected; and who is turned away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from app.serving.limits import Limits
from app.serving.line import Line
from respec_core.errors import ReSpecError


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Stub:
    """A runner that is only looked at."""

    def __init__(self, here: bool = True, ready: bool = True) -> None:
        self.here, self.ready = here, ready

    def run(self, job: Any, stopped: Any) -> Iterator[Any]:
        return iter(())


def ahead(line: Line, stream: str) -> int:
    return line.standing(stream)["ahead"]


def test_places_are_by_arrival_and_the_run_under_way_counts() -> None:
    line = Line([Stub()])
    with line.place("b") as b:
        with line.place("a") as a:
            assert line.wait(b, 0) and not line.wait(a, 0)
            with line.place("c") as c:
                assert [ahead(line, name) for name in ("b", "a", "c", "who comes now", "")] == [0, 1, 2, 3, 3]
                assert (line.running, line.waiting) == (1, 2)
        assert (line.running, line.waiting) == (1, 0), "who leaves before the turn leaves no gap"
    with line.place("d") as d:
        assert line.wait(d, 0) and c.runner is None


def test_a_turn_ends_with_an_error_too() -> None:
    line = Line([Stub()])
    with pytest.raises(KeyError), line.place("a"):
        raise KeyError
    assert (line.running, ahead(line, "b")) == (0, 0)


def test_the_next_takes_the_runner_that_is_free_and_fits() -> None:
    here, there, loading = Stub(), Stub(here=False), Stub(here=False, ready=False)
    line = Line([here, there, loading])
    with line.place("a") as a, line.place("own", here=True) as own, line.place("b") as b, line.place("c") as c:
        assert (a.runner, own.runner, b.runner, c.runner) == (here, None, there, None), "b does not wait for own"
        loading.ready = True
        assert line.wait(c, 0) and c.runner is loading and not line.wait(own, 0)


def test_the_wait_is_expected_from_runs_that_ended() -> None:
    clock = Clock()
    line = Line([Stub(), Stub()], clock=clock)
    with line.place("a"):
        assert line.standing("b")["seconds"] is None, "nothing has ended yet"
        clock.now = 10.0
    with line.place("a"):
        assert line.standing("new")["seconds"] == 0, "a runner is free"
        clock.now = 14.0
        with line.place("b"), line.place("c"), line.place("d"):
            assert [line.standing(name)["seconds"] for name in ("a", "c", "d", "new")] == [0, 6, 10, 16]


def test_limits_are_sentences() -> None:
    line = Line([Stub()], Limits(queued=1, per_visitor=2))
    with ExitStack() as stack:
        for name in ("a", "b"):
            stack.enter_context(line.place(name, "1.2.3.4"))
        with pytest.raises(ReSpecError, match="You have 2 runs here already"):
            stack.enter_context(line.place("c", "1.2.3.4"))
        with pytest.raises(ReSpecError, match="too many are waiting"):
            stack.enter_context(line.place("c", "5.6.7.8"))
    with line.place("d", "1.2.3.4"):
        assert line.running == 1


def test_no_room_to_wait_is_no_matter_to_who_need_not_wait() -> None:
    line = Line([Stub()], Limits(queued=0))
    with line.place("a"), pytest.raises(ReSpecError, match="too many"), line.place("b"):
        pass


def test_closing_turns_away_who_waits_and_who_comes_and_ends_the_others_in_time() -> None:
    clock = Clock()
    line = Line([Stub()], clock=clock)
    with line.place("a"), line.place("b") as b:
        line.close(5)
        with pytest.raises(ReSpecError, match="stopping"):
            line.wait(b)
        with pytest.raises(ReSpecError, match="stopping"), line.place("c"):
            pass
        clock.now = 4.9
        assert not line.over
        clock.now = 5.0
        assert line.over and not line.emptied(0)
    assert line.emptied(0)

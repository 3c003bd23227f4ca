"""Places in the line: by arrival, kept by asking, given up by silence or by one's turn."""

from __future__ import annotations

import pytest

from app.line import LONGEST, PATIENCE, Line


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_places_are_by_arrival_and_the_run_under_way_counts() -> None:
    line = Line(Clock())
    assert line.ahead("a") == 0
    with line.turn("a"):
        assert (line.ahead("b"), line.ahead("c"), line.ahead("b")) == (1, 2, 1)
    with line.turn("b"):
        assert line.ahead("c") == 1
    assert line.ahead("c") == 0


def test_who_asks_no_more_has_left() -> None:
    clock = Clock()
    line = Line(clock)
    line.ahead("gone")
    assert line.ahead("here") == 1
    clock.now = PATIENCE / 2
    line.ahead("here")
    clock.now = PATIENCE + 0.1
    assert line.ahead("here") == 0


def test_a_turn_ends_with_an_error_too() -> None:
    line = Line(Clock())
    with pytest.raises(KeyError), line.turn("a"):
        raise KeyError
    assert line.ahead("b") == 0


def test_the_line_is_bounded() -> None:
    line = Line(Clock())
    for i in range(LONGEST + 50):
        line.ahead(str(i))
    assert line.ahead("one more") == LONGEST == line.ahead("another")

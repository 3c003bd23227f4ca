"""Long work on a set of texts gives way to an answer that a hand waits for, and then goes on."""

from __future__ import annotations

from threading import Event, Thread

from app.lab.turns import Turns


def test_an_answer_that_is_waited_for_goes_between_two_pieces_of_long_work() -> None:
    turns, done, began, asked = Turns(), list[str](), Event(), Event()

    def long() -> None:
        with turns, turns:  # taken twice, as by whoever keeps what it computes
            for piece in ("first", "second"):
                turns.give_way()
                done.append(piece)
                began.set()
                asked.wait()

    def look() -> None:
        with turns.first():
            done.append("look")

    working, looking = Thread(target=long, daemon=True), Thread(target=look, daemon=True)
    working.start()
    began.wait()
    looking.start()
    while not turns.waited_for:
        pass
    asked.set()
    for thread in (working, looking):
        thread.join(60)
        assert not thread.is_alive()
    assert done == ["first", "look", "second"]

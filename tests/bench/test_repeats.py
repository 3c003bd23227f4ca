"""Silent repeats: every run in every turn, shared where it is the same, closed at any point; ratios within a turn."""

from __future__ import annotations

import pytest

from respec_core.bench.repeats import Turns, TurnsDone, take_turns
from respec_core.engine.decoding import Request
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models

PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 4)


def request(name: str, **values) -> Request:
    return Request(find_method(name).configure({"budget": "own", "max_new_tokens": 6} | values), PROMPT)


def ended(turns):
    """All that was yielded, and what was returned."""
    seen = []
    while True:
        try:
            seen.append(next(turns))
        except StopIteration as end:
            return seen, end.value


def test_every_turn_runs_everyone_once_and_plain_decoding_is_shared(tiny_models: Models) -> None:
    requests = [request("pld"), request("vanilla"), request("sam"), request("pld", max_new_tokens=3)]
    seen, found = ended(take_turns(requests, tiny_models, 3))
    assert seen[-1] == TurnsDone(15, 15)  # plain, pld, sam; plain of three tokens and pld of three
    assert [(len(t.seconds), len(t.plain)) for t in found] == [(3, 3)] * 4
    assert found[0].plain == found[1].plain == found[2].plain != found[3].plain
    assert found[1].seconds == found[1].plain and found[1].ratios == (1.0, 1.0, 1.0)
    assert all(seconds > 0 for turns in found for seconds in (*turns.seconds, *turns.plain))


def test_ratios_are_of_one_turn_and_told_with_their_spread() -> None:
    turns = Turns(seconds=(1.0, 2.0, 4.0), plain=(2.0, 6.0, 4.0))
    assert turns.ratios == (2.0, 3.0, 1.0)
    assert turns.spread == (2.0, 1.0, 3.0)
    assert Turns((0.0,), (1.0,)).spread is None


def test_it_can_be_closed_between_two_events(tiny_models: Models) -> None:
    turns = take_turns([request("sam")], tiny_models, 2)
    assert next(turns) == TurnsDone(0, 4)
    turns.close()
    with pytest.raises(StopIteration):
        next(turns)


def test_the_first_of_a_turn_is_another_each_time(tiny_models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    from respec_core.bench import repeats

    ran: list[str] = []
    real = repeats.decode

    def noted(request: Request, models: Models):
        ran.append(request.config.method)
        yield from real(request, models)

    monkeypatch.setattr(repeats, "decode", noted)
    ended(take_turns([request("pld"), request("sam")], tiny_models, 3))
    assert ran == ["vanilla", "pld", "sam", "pld", "sam", "vanilla", "sam", "vanilla", "pld"]

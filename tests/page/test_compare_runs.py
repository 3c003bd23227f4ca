"""Compare's requests are checked, its address is read, and its runs follow one another and can be stopped."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest

from app.compare.asked import MAX_TURNS, compare_request, runs_from, wishes_from
from app.compare.page import OPENING, opening, picked
from app.compare.running import compare_packets
from app.examples import examples
from app.loading import Loader
from app.runs import events_of
from app.showcases import showcase_run, showcases
from respec_core.errors import ReSpecError

LANES = [{"method": "vanilla", "settings": {}}, {"method": "pld", "settings": {"budget_rule": "own"}}]


def asked(**changes: Any) -> dict[str, Any]:
    return {"prompt": "one two one two", "lanes": LANES, "turns": 0, "stream": "s"} | changes


def small(*methods: str, tokens: int = 6, turns: int = 0) -> Any:
    lanes = [{"method": name, "settings": {"max_new_tokens": tokens, "ignore_eos": True}} for name in methods]
    return compare_request(asked(lanes=lanes, turns=turns))


def messages(packets: Any) -> list[dict[str, Any]]:
    return [message for packet in packets for message in json.loads(packet)["messages"]]


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (None, "no configurations"),
        ({}, "no configurations"),
        (asked(lanes="ab"), "no configurations"),
        (asked(lanes=[1, 2]), "no configurations"),
        (asked(lanes=LANES[:1]), "two to four configurations; these are 1"),
        (asked(lanes=LANES * 3), "two to four configurations; these are 6"),
        (asked(lanes=[{"method": "sam"}, LANES[0]]), "no settings"),
        (asked(turns=MAX_TURNS + 1), "Repeat silently 0 to 5 times"),
        (asked(turns=True), "Repeat silently"),
        (asked(turns="3"), "Repeat silently"),
        (asked(prompt=" "), "The prompt is empty"),
        (asked(lanes=[LANES[0], {"method": "nothing", "settings": {}}]), "There is no method 'nothing'"),
        (asked(lanes=[LANES[0], {"method": "sam", "settings": {"temperature": 99}}]), "temperature"),
    ],
)
def test_whatever_is_wrong_is_said_in_a_sentence(payload: Any, sentence: str) -> None:
    with pytest.raises(ReSpecError, match=sentence):
        compare_request(payload)


def test_a_request_holds_its_configurations_in_order() -> None:
    request = compare_request(asked(turns=2))
    assert [run.config.method for run in request.runs] == ["vanilla", "pld"]
    assert (request.turns, request.stream, {run.prompt for run in request.runs}) == (2, "s", {"one two one two"})


def test_an_address_is_read_as_far_as_it_makes_sense() -> None:
    example = examples()[0]
    query = {"example": example.id, "a": "sam", "a.temperature": "0.7", "b": "pld", "c": "nothing", "turns": "1",
             "position": "17", "a.strange": "1", "temperature": "2"}  # fmt: skip
    wishes = wishes_from(query)
    assert wishes["lanes"] == [{"method": "sam", "settings": {"temperature": 0.7}}, {"method": "pld", "settings": {}}]
    assert (wishes["prompt"], wishes["turns"], wishes["position"]) == (example.prompt, 1, 17)
    assert wishes_from({"a": "sam"})["lanes"] == []
    odd = wishes_from({"turns": "-1", "position": "x", "traces": ",".join([*showcases(), "nothing"])})
    assert (odd["turns"], odd["position"], len(odd["traces"])) == (3, 0, 4)


def test_the_page_opens_on_what_its_address_names_and_never_on_another_run() -> None:
    def kinds(query: dict[str, str]) -> list[str]:
        return [message["kind"] for message in json.loads(opening(wishes_from(query)))["messages"]]

    assert kinds({}) == ["wishes", "comparison"]
    assert kinds({"a": "sam", "b": "pld"}) == ["wishes"]
    assert kinds({"prompt": "hello"}) == ["wishes"]
    assert kinds({"traces": "story-sam,story-pld", "a": "sam", "b": "pld"}) == ["wishes", "comparison"]
    first = json.loads(opening(wishes_from({})))["messages"][0]["wishes"]
    assert [lane["method"] for lane in first["lanes"]] == [showcases()[name].method for name in OPENING]
    assert first["prompt"]


def test_runs_that_are_there_are_picked_by_name_or_by_their_text() -> None:
    run = showcase_run("story-sam")
    assert run is not None
    found = runs_from({"runs": [{"showcase": "story-pld"}, {"text": run.to_json()}]})
    assert [r.run_id for r in found] == [getattr(showcase_run("story-pld"), "run_id"), run.run_id]  # noqa: B009
    for payload in (None, {}, {"runs": []}, {"runs": [{"showcase": "story-sam"}]}, {"runs": "ab"}):
        with pytest.raises(ReSpecError, match="Pick two to four runs"):
            runs_from(payload)
    with pytest.raises(ReSpecError, match="not there any more"):
        runs_from({"runs": [{"showcase": "x"}, {"showcase": "y"}]})
    with pytest.raises(ReSpecError, match="traces of up to 16 MB"):
        runs_from({"runs": [{"text": 1}, {"text": "{}"}]})


def test_runs_that_cannot_be_compared_are_an_error_message() -> None:
    message: Any = picked({"runs": [{"showcase": "story-sam"}, {"showcase": "copy-code-sam"}]})
    assert message["kind"] == "error" and "answers another prompt" in message["text"]


def test_configurations_run_in_their_order_and_the_comparison_follows(tiny_loader: Loader) -> None:
    found = messages(compare_packets(small("sam", "vanilla", "pld"), lambda: tiny_loader.models))
    lanes = [message for message in found if message["kind"] == "lane"]
    assert sorted({m["lane"] for m in lanes}) == [0, 1, 2] and [m["lane"] for m in lanes] == sorted(
        m["lane"] for m in lanes
    )
    for lane in range(3):
        points = [point for m in lanes if m["lane"] == lane for point in m["points"]]
        assert points[0] == [0.0, 0] and points[-1][1] == 6 and points == sorted(points)
    assert [m["kind"] for m in found].count("comparison") == 1
    last = found[-1]
    assert last["kind"] == "comparison" and last["final"]
    assert [lane["method"] for lane in last["comparison"]["lanes"]] == ["sam", "vanilla", "pld"]
    assert last["comparison"]["reference"] == 1


def test_repeats_come_after_the_comparison_and_tell_their_spread(tiny_loader: Loader) -> None:
    found = messages(compare_packets(small("vanilla", "pld", turns=2), lambda: tiny_loader.models))
    shown = [m for m in found if m["kind"] == "comparison"]
    assert [m["final"] for m in shown] == [False, True]
    assert [lane["numbers"]["speed"] for lane in shown[0]["comparison"]["lanes"]] == [None, None]
    plain, pld = (lane["numbers"]["speed"] for lane in shown[1]["comparison"]["lanes"])
    assert plain == {"ratio": 1.0, "low": 1.0, "high": 1.0, "repeats": 2, "silent": True}
    assert 0 < pld["low"] <= pld["ratio"] <= pld["high"] and pld["repeats"] == 2
    assert any(m["kind"] == "turns" for m in found)


def test_what_was_made_before_a_stop_is_compared(tiny_loader: Loader) -> None:
    request, checks = small("vanilla", "pld", tokens=40), count()
    first = sum(1 for _ in events_of(request.runs[0], tiny_loader.models))  # asked once an event whether to stop
    last = messages(compare_packets(request, lambda: tiny_loader.models, lambda: next(checks) > first + 12))[-1]
    assert last["kind"] == "comparison"
    assert [lane["numbers"]["finish"] for lane in last["comparison"]["lanes"]] == ["length", "cancelled"]


def test_a_stop_before_two_runs_is_said(tiny_loader: Loader) -> None:
    last = messages(compare_packets(small("vanilla", "pld"), lambda: tiny_loader.models, lambda: True))[-1]
    assert last["kind"] == "error" and "Stopped before two runs" in last["text"]


def test_a_method_that_cannot_run_here_is_an_error_message(tiny_loader: Loader) -> None:
    last = messages(compare_packets(small("vanilla", "rest"), lambda: tiny_loader.models))[-1]
    assert last["kind"] == "error" and "rest" in last["text"]

"""A visitor's run as a generator: complete, stoppable, closed without a trace; and the public endpoint."""

from __future__ import annotations

import gc
import json
import threading
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from app import runs
from app.loading import Loader
from app.messages import trace_from
from app.pace import Pace
from app.requests import build_request
from app.runs import request_of, run_packets, run_to_end
from app.sent_packets import MOST, SentPackets
from app.serving.line import Line
from app.serving.runners import Here
from respec_core.bench.reference import TURNS, measured
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice
from respec_core.methods.registry import METHODS
from respec_core.methods.traces import parse_trace, violations
from respec_core.trace.speed import speed_of
from respec_core.trace.summary import SummaryCounts

PROMPT = "the hat that has that hat that"


def messages_of(packets: list[str]) -> list[dict[str, Any]]:
    return [message for packet in packets for message in json.loads(packet)["messages"]]


def trace_of(packets: list[str]) -> Any:
    """The run as the page has put it together when its end comes."""
    told = messages_of(packets)
    rounds = [message for message in told if message["kind"] == "round"]
    assert told[-1]["rounds"] == len(rounds)
    tokens = [token for message in rounds for token in message["tokens"]]
    return parse_trace(trace_from({**told[-1], "steps": [message["step"] for message in rounds], "tokens": tokens}))


def test_packets_end_with_a_sound_trace(tiny_loader: Loader) -> None:
    request = build_request(PROMPT, "pld", {"max_new_tokens": 40, "ignore_eos": True}, stream="abc")
    packets = list(run_packets(request, lambda: tiny_loader.models))
    kinds = [message["kind"] for message in messages_of(packets)]
    assert kinds[0] == "start" and kinds[-1] == "end"
    assert [json.loads(packet)["seq"] for packet in packets] == list(range(len(packets)))
    run = trace_of(packets)
    assert violations(run) == [] and len(run.output_ids) == 40
    rounds = [message for message in messages_of(packets) if message["kind"] == "round"]
    assert [message["step"]["i"] for message in rounds] == list(range(len(run.steps)))


def test_a_packet_says_what_its_rounds_come_to_and_counts_each_once(
    tiny_loader: Loader, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    count = SummaryCounts.add
    monkeypatch.setattr(SummaryCounts, "add", lambda self, step: (counted.append(step.i), count(self, step))[1])
    monkeypatch.setattr(runs, "PACKET_SECONDS", 0.0)
    monkeypatch.setattr(runs, "PACKET_LONGEST", 0.0)
    monkeypatch.setattr(runs, "NUMBERS_SECONDS", 1e9)
    request = build_request(PROMPT, "pld", {"max_new_tokens": 40, "ignore_eos": True}, stream="abc")
    packets = [json.loads(packet)["messages"] for packet in run_packets(request, lambda: tiny_loader.models)]
    rounds = 0
    for said in packets:
        kinds = [message["kind"] for message in said]
        rounds += kinds.count("round")
        if "round" in kinds:
            assert "draft" not in kinds  # it would be drawn for a moment only
            (summary,) = [message["summary"] for message in said if message["kind"] == "summary"]
            assert summary["steps"] == rounds
    numbers = [message for said in packets for message in said if message["kind"] == "metrics"]
    assert len(numbers) == 1, "the first round's"
    assert counted == list(range(rounds)), "no work for earlier rounds, however many there are"


def test_what_takes_long_is_done_less_often_but_not_seldom() -> None:
    pace = Pace(0.1, share=0.05, longest=0.5)
    due = []
    for took in (0.001, 0.01, 3.0):
        pace.done(7.0, took)
        due.append(pace.due)
    assert due == pytest.approx([7.1, 7.2, 7.5])


def test_who_missed_a_part_gets_all_packets_while_they_are_kept(tiny_loader: Loader) -> None:
    sent = SentPackets()
    request = build_request(PROMPT, "pld", {"max_new_tokens": 12, "ignore_eos": True}, stream="abc")
    packets = list(sent.through("abc", run_packets(request, lambda: tiny_loader.models)))
    assert json.loads(sent.all_of("abc")) == [json.loads(packet) for packet in packets]
    assert len(packets[-1]) < sum(map(len, packets)) / 2  # the end does not say it all again
    for other in range(MOST):
        assert list(sent.through(str(other), (part for part in ("1", None)))) == ["1", None]
    assert sent.all_of("0") == "[1]"
    assert all(sent.all_of(gone) == "[]" for gone in ("abc", None, 7))


def test_plain_is_measured_on_the_same_prompt(tiny_loader: Loader) -> None:
    request = build_request(PROMPT, "sam", {"max_new_tokens": 30, "ignore_eos": True}, measure_plain=True)
    run = trace_of(list(run_packets(request, lambda: tiny_loader.models)))
    assert run.reference_ar is not None and run.summary is not None
    assert run.reference_ar.output_ids == run.output_ids
    assert run.summary.speedup_measured == pytest.approx(run.reference_ar.wall_s / run.summary.wall_s)
    assert run.summary.first_divergence_vs_ar is None
    assert run.reference_ar.output_text == run.output_text
    assert violations(run) == []


def test_the_speed_is_measured_in_silent_turns_after_the_run(tiny_loader: Loader) -> None:
    request = build_request(PROMPT, "sam", {"max_new_tokens": 30, "ignore_eos": True}, measure_plain=True)
    packets = list(run_packets(request, lambda: tiny_loader.models))
    kinds = [message["kind"] for message in messages_of(packets)]
    assert "round" not in kinds[kinds.index("plain") :]  # nothing to draw
    speed = speed_of(trace_of(packets))
    assert speed is not None and (speed.silent, speed.repeats) == (True, TURNS)
    assert speed.low <= speed.ratio <= speed.high


def test_where_there_is_no_time_each_is_timed_once(tiny_loader: Loader) -> None:
    wanted = build_request(PROMPT, "sam", {"max_new_tokens": 8, "ignore_eos": True})
    run = run_to_end(wanted, tiny_loader.models)
    speed = speed_of(measured(request_of(wanted, tiny_loader.models), run, tiny_loader.models, seconds=0))
    assert speed is not None and (speed.silent, speed.repeats) == (False, 1)


@pytest.mark.parametrize("after", [0, 1, 5])
def test_stopping_leaves_a_readable_trace(tiny_loader: Loader, after: int) -> None:
    asked = iter(range(10_000))
    request = build_request(PROMPT, "vanilla", {"max_new_tokens": 500, "ignore_eos": True}, measure_plain=True)
    packets = list(run_packets(request, lambda: tiny_loader.models, lambda: next(asked) >= after))
    run = trace_of(packets)
    assert run.finish_reason == "cancelled" and len(run.output_ids) < 20
    assert run.reference_ar is None


def test_a_run_beyond_its_time_ends_as_if_stopped(tiny_loader: Loader) -> None:
    request = build_request(PROMPT, "vanilla", {"max_new_tokens": 500, "ignore_eos": True}, measure_plain=True)
    run = trace_of(list(run_packets(request, lambda: tiny_loader.models, seconds=0)))
    assert run.finish_reason == "cancelled" and run.output_ids == () and run.reference_ar is None
    assert run_to_end(request, tiny_loader.models, seconds=0).finish_reason == "cancelled"


def test_a_visitor_who_leaves_leaves_nothing_behind(tiny_loader: Loader) -> None:
    request = build_request(PROMPT, "pld", {"budget": "own", "max_new_tokens": 400, "ignore_eos": True})
    fresh = trace_of(list(run_packets(request, lambda: tiny_loader.models)))
    threads = threading.active_count()
    for packets_seen in (1, 2, 3):
        packets = run_packets(request, lambda: tiny_loader.models)
        for _ in range(packets_seen):
            next(packets, None)
        packets.close()
        del packets
    gc.collect()
    assert threading.active_count() == threads
    again = trace_of(list(run_packets(request, lambda: tiny_loader.models)))
    assert again.output_ids == fresh.output_ids
    assert [s.commit for s in again.steps] == [s.commit for s in fresh.steps]


def test_errors_are_one_sentence_and_never_a_traceback(tiny_loader: Loader) -> None:
    def not_loaded() -> Any:
        raise ReSpecError("The model is still loading.")

    request = build_request(PROMPT, "pld", {})
    (only,) = messages_of(list(run_packets(request, not_loaded)))
    assert only == {"kind": "error", "text": "The model is still loading."}

    def broken() -> Any:
        raise RuntimeError("secret /path")

    (only,) = messages_of(list(run_packets(request, broken)))
    assert "secret" not in only["text"]


def test_a_method_without_its_models_says_what_it_needs(tiny_loader: Loader) -> None:
    for method in METHODS:
        if method.name not in tiny_loader.status.missing:
            continue
        request = build_request(PROMPT, method.name, {})
        (only,) = messages_of(list(run_packets(request, lambda: tiny_loader.models)))
        assert only["kind"] == "error" and f"needs a {method.needs[0].name}" in only["text"]
        assert "needs a" in tiny_loader.status.missing[method.name]


@pytest.fixture(scope="session")
def client(server: str) -> Client:
    return Client(server, verbose=False)


def test_the_public_endpoints_are_these_and_one_gives_the_trace(client: Client) -> None:
    info = client.view_api(return_format="dict", print_info=False)
    assert set(info["named_endpoints"]) == {"/generate_trace", "/stream_trace", "/check_trace"}
    trace = client.predict(PROMPT, "pld", '{"num_pred": 5, "ignore_eos": true}', 20, 1, api_name="/generate_trace")
    run = parse_trace(trace)
    assert violations(run) == []
    assert len(run.output_ids) == 20 and run.seed == 1 and run.config["params"]["num_pred"] == 5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("", "pld", "{}", 5, 0), "prompt is empty"),
        ((PROMPT, "magic", "{}", 5, 0), "no method"),
        ((PROMPT, "pld", "[]", 5, 0), "must be an object"),
        ((PROMPT, "pld", "{}", 10**6, 0), "max_new_tokens"),
        ((PROMPT, "pld", "{}", True, 0), "max_new_tokens = True"),
        ((PROMPT, "pld", "{}", "5", 0), "max_new_tokens = '5'"),
        ((PROMPT, "pld", "{}", 1.5, 0), "max_new_tokens = 1.5"),
        ((PROMPT, "pld", "{}", None, 0), "max_new_tokens = None"),
        ((PROMPT, "pld", "{}", 5, "x" * 500), "seed = 'x"),
        ((PROMPT, "pld", 7, 5, 0), "must be an object"),
        ((PROMPT, "pld", {"nope": 1}, 5, 0), "no setting 'nope'"),
        ((PROMPT, "pld", "[" * 9_999, 5, 0), "nested too deeply"),
        ((PROMPT, "pld", '{"stop": ["\\ud800"]}', 5, 0), "lone surrogate"),
        ((None, "pld", "{}", 5, 0), "prompt is empty"),
        ((PROMPT, None, "{}", 5, 0), "No method"),
    ],
)
def test_the_endpoint_refuses_in_one_sentence(client: Client, arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(AppError, match=sentence):
        client.predict(*arguments, api_name="/generate_trace")


@pytest.mark.parametrize("settings", [None, {}, "", {"num_pred": 4}])
def test_the_endpoint_takes_settings_as_an_object_or_not_at_all(client: Client, settings: Any) -> None:
    trace = client.predict(PROMPT, "pld", settings, 3, 0, api_name="/generate_trace")
    assert parse_trace(trace).config["params"]["num_pred"] == (4 if settings else 10)


def test_address_is_loopback_unless_asked() -> None:
    from app.build import launch_options
    from app.command import parse

    assert parse([]).host == "127.0.0.1" and parse([]).share is False
    loader = Loader(ModelChoice("x"))
    options = launch_options(loader, Line([Here(loader)]))
    assert options["show_error"] is False and options["run_history"] is False and options["enable_monitoring"] is False

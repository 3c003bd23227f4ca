"""Whatever the browser sends is checked before it reaches the engine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.examples import examples, find_example
from app.form import PAGE_MAX_NEW_TOKENS, form_schema, page_knobs
from app.live import NOTHING_YET, opening
from app.requests import (
    PAGE_MAX_PROMPT,
    build_request,
    from_query,
    parse_settings,
    place_of,
    run_request,
)
from app.showcases import OPENING, showcase_run, showcases
from app.stops import REMEMBERED, Stops
from respec_core.errors import ReSpecError
from respec_core.methods.registry import METHODS
from respec_core.settings.knobs import knobs
from respec_core.settings.run_config import SHARED_GROUPS


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (None, "sent no settings"),
        ({"prompt": "x", "method": "pld"}, "sent no settings"),
        ({"prompt": "", "method": "pld", "settings": {}}, "prompt is empty"),
        ({"prompt": ["x"], "method": "pld", "settings": {}}, "prompt is empty"),
        ({"prompt": "x" * (PAGE_MAX_PROMPT + 1), "method": "pld", "settings": {}}, "takes up to"),
        ({"prompt": "x", "method": 3, "settings": {}}, "No method"),
        ({"prompt": "x", "method": "magic", "settings": {}}, "no method 'magic'"),
        ({"prompt": "x", "method": "pld", "settings": {"nope": 1}}, "no setting 'nope'"),
        ({"prompt": "x", "method": "pld", "settings": {"num_pred": 10**9}}, "num_pred"),
        ({"prompt": "x", "method": "pld", "settings": {"max_new_tokens": 8000}}, "This page writes up to"),
    ],
)
def test_bad_requests_get_one_sentence(payload: Any, sentence: str) -> None:
    with pytest.raises(ReSpecError, match=sentence) as refusal:
        run_request(payload)
    assert "\n" not in str(refusal.value)


def test_a_good_request_is_the_engines_configuration() -> None:
    settings = {"num_pred": 7, "temperature": 0.5, "stop": ["END"]}
    request = run_request({"prompt": "hi", "method": "pld", "settings": settings, "plain": True, "stream": "s" * 99})
    assert request.config.params["num_pred"] == 7
    assert request.config.sampling.temperature == 0.5
    assert request.config.stopping.stop == ("END",)
    assert request.measure_plain and len(request.stream) == 64


ODD = [
    "[1]",
    "{",
    "[" * 9_999,
    '"x"',
    "7",
    "9" * 5000,
    '{"seed": NaN}',
    '{"stop": ["\\ud800"]}',
    7,
    True,
    [1],
    "\udcff",
    "\0",
]


@pytest.mark.parametrize("given", ODD, ids=range(len(ODD)))
def test_settings_json_must_be_an_object(given: Any) -> None:
    with pytest.raises(ReSpecError, match="settings_json") as refusal:
        parse_settings(given)
    assert len(str(refusal.value)) < 200 and "\n" not in str(refusal.value)


@pytest.mark.parametrize("given", ['{"seed": 3}', {"seed": 3}, ' {"seed": 3}\n'])
def test_settings_json_may_be_text_or_the_object(given: Any) -> None:
    assert parse_settings(given) == {"seed": 3}


@pytest.mark.parametrize("given", [None, "", "null", "{}", {}])
def test_no_settings_are_the_defaults(given: Any) -> None:
    assert parse_settings(given) == {}


@pytest.mark.parametrize("value", [True, "5", 1.5, None, [], {}, 10**5000, float("nan"), "\ud800"], ids=range(9))
@pytest.mark.parametrize("name", ["max_new_tokens", "seed", "num_pred"])
def test_numbers_are_not_made_from_other_things(name: str, value: Any) -> None:
    with pytest.raises(ReSpecError, match=name) as refusal:
        build_request("x", "pld", {name: value})
    assert len(str(refusal.value)) < 250


@pytest.mark.parametrize("prompt", ["a\ud800", "\udcff"])
def test_half_a_character_is_refused(prompt: str) -> None:
    with pytest.raises(ReSpecError, match="lone surrogate"):
        build_request(prompt, "pld", {})


def test_every_declared_setting_is_in_the_form_with_its_badge() -> None:
    schema = form_schema()
    for method, entry in zip(METHODS, schema["methods"], strict=True):
        assert entry["paper"] == method.paper
        declared = {knob.name: knob for knob in knobs(method.settings, "params")}
        shown = {knob["name"]: knob for knob in entry["knobs"]}
        assert set(declared) <= set(shown)
        assert all(shown[name]["badge"] == knob.badge for name, knob in declared.items())
    assert [group["id"] for group in schema["groups"]] == list(SHARED_GROUPS)


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_the_forms_defaults_are_accepted(method: str) -> None:
    values = {name: field["default"] for name, field in page_knobs(method).items()}
    build_request("hello", method, values)


def test_links_are_clamped_and_strangers_ignored() -> None:
    wishes = from_query(
        {
            "method": "pld", "num_pred": "9999", "max_ngram": "abc", "temperature": "nan", "rule": "relaxed",
            "ignore_eos": "true", "len_threshold": "3", "__theme": "dark", "stop": "a\nb", "max_new_tokens": "99999",
        }
    )  # fmt: skip
    assert wishes["settings"] == {
        "num_pred": 64, "rule": "relaxed", "ignore_eos": True, "stop": ["a", "b"],
        "max_new_tokens": PAGE_MAX_NEW_TOKENS,
    }  # fmt: skip
    assert from_query({"method": "<img>", "rule": "anything"})["settings"] == {}
    assert from_query({"__theme": "dark"})["asked"] is False
    assert len(from_query({"prompt": "x" * 10_000})["prompt"]) == 2000


def test_the_form_offers_each_methods_presets_and_the_endpoint_takes_them() -> None:
    offered = {method["name"]: [preset["name"] for preset in method["presets"]] for method in form_schema()["methods"]}
    assert offered["vanilla"] == []
    assert all({"auto", "paper", "tuned"} <= set(presets) for name, presets in offered.items() if name != "vanilla")
    assert offered["sam"] == ["auto", "paper", "paper-eagle2", "tuned"]
    assert offered["rasd"] == ["auto", "paper", "paper-pld", "paper-rest", "tuned"]
    for entry in form_schema()["methods"]:
        for preset in entry["presets"]:
            by_name = build_request("hello", entry["name"], {}, preset=preset["name"])
            assert by_name == build_request("hello", entry["name"], preset["values"])
    with pytest.raises(ReSpecError, match="no preset 'fast'"):
        build_request("hello", "pld", {}, preset="fast")


def test_a_link_that_asks_for_settings_shows_no_other_run() -> None:
    packet, _ = opening({"method": "pld", "num_pred": "7"})
    (message,) = json.loads(packet)["messages"]
    assert message == {"kind": "nothing", "text": NOTHING_YET}
    (message,) = json.loads(opening({})[0])["messages"]
    assert (message["kind"], message["showcase"]) == ("trace", OPENING)


def test_a_link_to_a_run_names_its_round_and_token() -> None:
    packet, _ = opening({"trace": "story-pld", "round": "3", "token": "9", "method": "pld"})
    (message,) = json.loads(packet)["messages"]
    assert message["showcase"] == "story-pld" and message["place"] == {"round": 2, "token": 8}
    assert not message["autoplay"]


@pytest.mark.parametrize("raw", ["", "0", "-1", "x", "1e3", "٣", "9" * 40, "<b>"])
def test_a_place_that_is_no_number_is_none(raw: str) -> None:
    assert place_of({"round": raw, "token": raw}) == {"round": None, "token": None}


def test_links_may_name_a_preset() -> None:
    wishes = from_query({"method": "diffuspec", "preset": "paper", "shape": "beams"})
    assert wishes["settings"] == {"budget_rule": "own", "shape": "beams"}
    assert from_query({"method": "vanilla", "preset": "paper"})["settings"] == {}
    assert from_query({"method": "pld", "preset": "fast"})["settings"] == {}


@pytest.mark.parametrize("name", showcases())
def test_a_recording_names_the_settings_that_made_it(name: str) -> None:
    run, showcase = showcase_run(name), showcases()[name]
    assert run is not None
    config = build_request("hello", showcase.method, showcase.settings).config
    params = {**config.params, **run.settings.params}  # settings declared since then have their defaults
    assert run.settings.model_copy(update={"params": params}) == config


def test_examples_cover_the_kinds_and_are_ours() -> None:
    assert len(examples()) >= 12
    kinds = {example.kind for example in examples()}
    wanted = {
        "Conversation",
        "Translation",
        "Summary",
        "Question",
        "Arithmetic",
        "Retrieval-augmented",
        "Copy and edit",
        "Open writing",
    }
    assert wanted <= kinds
    assert len({example.id for example in examples()}) == len(examples())
    assert find_example("no-such") is None


def test_stops_are_per_session_and_bounded() -> None:
    stops = Stops()
    mine, other = stops.check("a", "s"), stops.check("b", "s")
    stops.ask("a", "s")
    assert mine() and not other()
    stops.forget("a", "s")
    assert not mine()
    for i in range(REMEMBERED + 50):
        stops.ask("x", str(i))
    assert len(stops._asked) == REMEMBERED

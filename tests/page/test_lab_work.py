"""Own prompts become a set, predictions are confirmed by real runs: with the tiny model, without a browser."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from app.lab.answers import answer
from app.lab.asked import parse_question
from app.lab.confirm import confirm_packets
from app.lab.confirmed import Confirmed
from app.lab.own import MOST_CHARACTERS, prompts_in, record_packets
from app.lab.sets import MOST_OWN, Sets, TextSet
from respec_core.errors import ReSpecError
from respec_core.methods.opening import ModelChoice
from respec_core.methods.resources import Models
from respec_core.models.encoding import TextEncoder
from respec_core.retrieval.datastore import Datastore

TEXT = "one two one two one two\n---\nthe cat sat on the mat, the cat sat on the mat"
PLD = {"method": "pld", "settings": {"max_new_tokens": 12, "budget_rule": "own"}}


def messages(packets) -> list[dict]:
    return [message for packet in packets for message in json.loads(packet)["messages"]]


def recorded(sets: Sets, loader, text=TEXT, tokens=12, **more) -> list[dict]:
    return messages(record_packets("s", text, tokens, lambda: loader.models, sets, **more))


def test_prompts_are_recorded_with_progress_and_answered_from(tiny_loader):
    sets = Sets()
    *progress, last = recorded(sets, tiny_loader)
    assert last["kind"] == "recorded" and last["title"] == "Own prompts (2)"
    assert progress and all(message["kind"] == "progress" and message["total"] == 24 for message in progress)
    question = {"what": "look", "set": last["set"], **PLD}
    found = json.loads(answer(json.dumps(question), sets, ModelChoice("tiny")))
    assert dict(found["facts"])["tokens"] == "24"


def test_with_a_datastore_own_prompts_are_replayed_with_it(tiny_loader):
    target = tiny_loader.models.target
    store = Datastore.from_texts({"a.txt": TEXT}, TextEncoder(target.tokenizer, target.tokenizer_fingerprint()))
    with_store = SimpleNamespace(models=Models(target, store))
    rest = {"method": "rest", "settings": {"max_new_tokens": 12, "budget_rule": "own"}}
    told = []
    for loader in (with_store, tiny_loader):
        sets = Sets()
        *_, last = recorded(sets, loader)
        told.append(
            json.loads(answer(json.dumps({"what": "look", "set": last["set"], **rest}), sets, ModelChoice("t")))
        )
    assert dict(told[0]["facts"])["tokens"] == "24" and "datastore" in told[1]["error"]


def test_what_was_stopped_leaves_whole_texts_or_a_sentence(tiny_loader):
    (only,) = recorded(Sets(), tiny_loader, stopped=lambda: True)
    assert only["kind"] == "error" and "before the first prompt" in only["text"]
    sets, asked = Sets(), iter([False] * 15 + [True] * 99)
    *_, last = recorded(sets, tiny_loader, stopped=lambda: next(asked))
    assert last["title"] == "Own prompts (1 of 2)"
    assert len(sets.find(last["set"]).texts) == 1


def test_a_prediction_is_held_against_real_runs(tiny_loader):
    sets = Sets()
    made = recorded(sets, tiny_loader)[-1]
    asked = parse_question(json.dumps({"what": "look", "set": made["set"], **PLD}))
    found = messages(confirm_packets("s", asked, sets.find(made["set"]), lambda: tiny_loader.models))
    last = found[-1]
    assert last["kind"] == "confirmed" and last["final"]
    *texts, whole = last["panel"]["table"]["rows"]
    assert len(texts) == 2 and whole["text"] == "all"
    for row in texts:
        assert (row["passes"], row["same"]) == (row["real_passes"], "yes")
        assert row["real_ms"] > 0 and row["ms"] > 0


@pytest.mark.parametrize(
    ("method", "settings", "says"),
    [
        ("recycling", {}, "strict decoding's: 0 of 2"),
        ("respec", {"rule": "relaxed", "relax_k": 8, "relax_eps": 0.0}, "strict decoding's: "),
        ("pld", {"temperature": 1.0}, "not compared"),
    ],
)
def test_what_cannot_be_replayed_is_really_run_without_a_prediction(tiny_loader, method, settings, says):
    sets = Sets()
    made = recorded(sets, tiny_loader)[-1]
    question = {"set": made["set"], "method": method, "settings": {**PLD["settings"], **settings}}
    refused = json.loads(answer(json.dumps({"what": "look", **question}), sets, ModelChoice("tiny")))
    assert refused["real"]
    asked = parse_question(json.dumps({"what": "look", **question}))
    last = messages(confirm_packets("s", asked, sets.find(made["set"]), lambda: tiny_loader.models))[-1]
    panel = last["panel"]
    assert last["final"] and "Real runs, without a prediction: 24 tokens" in panel["sentence"]
    assert says in panel["sentence"]
    assert not {column["key"] for column in panel["table"]["columns"]} & {"passes", "ms", "ratio", "error"}
    *texts, whole = panel["table"]["rows"]
    assert [row["tokens"] for row in texts] == [12, 12]
    assert whole["mat"] == 24 / whole["real_passes"] and whole["real_ratio"] > 0
    if method == "recycling":
        assert [row["parted"] for row in texts] == ["no", "no"]


def test_where_a_text_parts_from_plain_decoding_s(tiny_loader):
    sets = Sets()
    made = recorded(sets, tiny_loader)[-1]
    entry = sets.find(made["set"]).texts[0].entry
    for ours, plain, at in (([1, 2], [1, 2], None), ([1, 2], [1, 3], 1), ([1], [1, 2], 1), ([], [], None)):
        run, other = (SimpleNamespace(output_ids=tuple(ids)) for ids in (ours, plain))
        assert Confirmed(entry, None, run, other, same=True).parted == at


def test_another_model_confirms_nothing(tiny_loader):
    asked = parse_question(json.dumps({"what": "look", **PLD}))
    (only,) = messages(confirm_packets("s", asked, Sets().find(""), lambda: tiny_loader.models))
    assert "was recorded with smollm2-135m" in only["text"]


@pytest.mark.parametrize(
    ("text", "tokens", "says"),
    [
        ("", 12, "Paste some prompts"),
        (None, 12, "Paste some prompts"),
        ("\n".join(f"prompt {i}" for i in range(99)), 12, "99 prompts"),
        ("x" * (MOST_CHARACTERS + 1), 12, "the limit is"),
        ('{"question_id": 1}', 12, "not a question"),
        ("hello", 9999, "8 to"),
        ("hello", "12", "8 to"),
    ],
)
def test_what_cannot_be_recorded_is_said(tiny_loader, text, tokens, says):
    (only,) = recorded(Sets(), tiny_loader, text, tokens)
    assert only["kind"] == "error" and says in only["text"]


def test_prompts_are_lines_or_stand_between_rules_or_are_questions():
    assert [one.text for one in prompts_in("a\n\nb")] == ["a", "b"]
    assert [one.text for one in prompts_in("a\nb\n---\nc\n ---\n")] == ["a\nb", "c"]
    line = json.dumps({"question_id": 7, "category": "chat", "turns": ["hello\nyou"]})
    (one,) = prompts_in(line)
    assert (one.id, one.kind, one.text) == ("7", "chat", "hello\nyou")


def test_the_oldest_own_set_gives_way_with_its_folder():
    sets = Sets()
    for i in range(MOST_OWN + 1):
        sets.add(TextSet(str(i), "own", sets.folder(str(i))))
    assert sets.find("1").folder.exists()
    with pytest.raises(ReSpecError, match="not there any more"):
        sets.find("0")

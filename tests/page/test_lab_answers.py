"""The Lab's answers: curves, verdicts and refusals, from a small recorded set, without a browser or a model."""

from __future__ import annotations

import json
import re
from itertools import count
from types import SimpleNamespace

import pytest

from app.form import page_knobs
from app.lab.answers import answer, exactness
from app.lab.asked import MOST_VALUES, coarse_first, config_of, parse_question, tried
from app.lab.curve import curve_answer
from app.lab.first_answers import FILE, FirstAnswers, digest, first_answers, kept_form
from app.lab.look import by_position, lengths_view
from app.lab.sets import FOLDER, Sets
from app.lab.warm import warm
from respec_core.errors import ReSpecError
from respec_core.lab.manifest import MANIFEST
from respec_core.lab.outcome import PlayedRound, outcome
from respec_core.methods.opening import ModelChoice
from respec_core.methods.traces import parse_trace, violations

GATE = {"method": "respec-strict", "settings": {"switch": "gate"}, "knob": "theta_entropy"}
HERE = ModelChoice("smollm2-135m")
THETA = page_knobs("respec-strict")["theta_entropy"]


@pytest.fixture(scope="module")
def sets() -> Sets:
    return Sets()


def asked(sets: Sets, **question):
    return json.loads(answer(json.dumps(question), sets, HERE))


def test_a_set_says_what_it_holds_and_what_it_cannot_replay(sets):
    found = asked(sets, what="set", method="respec-strict")
    assert "Six kinds" in found["about"]
    assert {"rest", "recycling", "racer", "toolspec", "draft-model", "respec"} == set(found["missing"])
    assert "theta_entropy" in found["knobs"] and "temperature" not in found["knobs"]
    assert found["first"] == "all_nodes"
    assert asked(sets, what="set", **GATE)["first"] == "theta_entropy"
    assert asked(sets, what="set", method="pld")["first"] == "max_ngram"
    assert len(found["texts"]) == 12
    assert found["exact"].endswith("times are predicted, never measured")


def test_how_exact_a_set_is_follows_what_it_was_recorded_in():
    def told(**models):
        return exactness(SimpleNamespace(models=models))

    whole = {"target": {"dtype": "int8"}, "head": {"dtype": "fp32"}, "diffusion": {"kind": "block"}}
    assert "are exact; times" in told(**whole)
    assert "exact but where the head (bf16) decides" in told(**whole | {"head": {"dtype": "bf16"}})
    assert "exact but where the head (int8) decides" in told(**whole | {"head": {"dtype": "int8"}})
    assert "the target (bf16)" in told(**whole | {"target": {"dtype": "bf16"}})


def test_a_look_has_a_verdict_and_every_panel(sets):
    found = asked(sets, what="look", **GATE, value=0.0)
    assert found["verdict"].startswith("Predicted to help")
    assert dict(found["facts"])["tokens"] == str(
        sum(t["tokens"] for t in asked(sets, what="set", method="sam")["texts"])
    )
    assert [row["kind"] for row in found["kinds"]["table"]["rows"]][-1] == "all"
    assert found["positions"]["figures"] and found["lengths"]["figures"]
    other = asked(sets, what="look", **GATE, value=12.0)
    assert other["verdict"] != found["verdict"]  # under the gate the threshold acts


def test_what_the_page_opens_with_is_computed_beforehand(sets):
    warm(sets, SimpleNamespace(choice=HERE, wait=lambda: None))
    question = {"method": "respec-strict", "settings": {"switch": "gate"}}
    among, start = sets.find(""), asked(sets, what="set", **question)["first"]
    known = set(among._answers)
    assert asked(sets, what="curve", **question, knob=start)["left"] == 0
    assert "verdict" in asked(sets, what="look", **question, knob=start)
    assert known == set(among._answers)


def test_what_is_kept_of_the_first_answers_is_what_would_be_computed(sets):
    kept = json.loads((FOLDER / FILE).read_text(encoding="utf-8"))
    assert kept["atlas"] == digest(FOLDER)
    again = json.loads(json.dumps(first_answers(sets)))
    assert kept["answers"].keys() == again.keys()
    for name, found in again.items():
        same(kept["told"][kept["answers"][name]], found)
    assert json.loads(kept_form(again))["answers"].keys() == again.keys()


def same(kept, found):
    """But for the last digits of numbers, which another processor may add up otherwise."""
    if isinstance(found, dict):
        assert kept.keys() == found.keys()
        for name in found:
            same(kept[name], found[name])
    elif isinstance(found, list):
        assert len(kept) == len(found)
        for one, other in zip(kept, found, strict=True):
            same(one, other)
    else:
        assert kept == (pytest.approx(found, rel=1e-9) if isinstance(found, float) else found)


def test_kept_answers_are_given_for_the_page_s_own_questions_and_no_others(tmp_path):
    opens = {"set": "", "other": "", "text": "", "at": 0, "value": None, **GATE}
    kept, elsewhere = FirstAnswers(), FirstAnswers(tmp_path)
    text = {"text": Sets().find("").texts[0].entry.id}
    for what in ("set", "look", "curve", "picture", "regret"):
        assert "error" not in json.loads(kept.to(json.dumps({"what": what, **opens, **text})) or "{}")
        stands = {"value": 1.5}  # where the slider stands anyway
        assert kept.to(json.dumps({"what": what, **opens, **text, **stands})) is not None
        assert elsewhere.to(json.dumps({"what": what, **opens, **text})) is None
    looks = {value: kept.to(json.dumps({"what": "look", **opens, "value": value})) for value in tried(THETA)}
    assert all(looks.values()) and looks[0.0] != looks[12.0]
    others = [{"what": "look", "value": 0.01}, {"what": "curve", "knob": "lookback"}, {"what": "look", "set": "own"}]
    others += [{"what": "picture", "text": "other"}]
    assert [kept.to(json.dumps({**opens, **other})) for other in others] == [None] * 4
    assert kept.to("nothing") is None
    for name in (MANIFEST, FILE):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    assert FirstAnswers(tmp_path).to(json.dumps({"what": "set", **opens})) is not None
    (tmp_path / MANIFEST).write_text("{}")
    assert FirstAnswers(tmp_path).to(json.dumps({"what": "set", **opens})) is None  # of another atlas


def test_a_curve_comes_in_parts_and_ends_whole(sets):
    question = parse_question(json.dumps({"what": "curve", "method": "sam", "knob": "len_threshold"}))
    ticks = count(step=0.3)
    lefts = []
    while not lefts or lefts[-1]:
        found = curve_answer(question, sets.find(""), lambda: next(ticks))
        lefts.append(found["left"])
        assert len(lefts) < 100
    assert len(lefts) > 1 and lefts == sorted(lefts, reverse=True)
    rows = [row for row in found["panel"]["table"]["rows"] if row["kind"] == "all"]
    assert len(rows) == len(found["values"]) == len(found["places"])
    assert set(found["panel"]["figures"]) == {"tokens per pass", "× plain, predicted"}


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ({"method": "nonsense"}, "no method"),
        ({"method": "sam", "set": "elsewhere"}, "not there any more"),
        ({"method": "recycling"}, "learns from rejected"),
        ({"method": "sam", "settings": {"temperature": 0.7}}, "recorded with temperature"),
        ({"method": "respec", "settings": {}}, "Only strict greedy"),
        ({"method": "sam", "settings": {"nonsense": 1}}, "no setting"),
        ({"method": "eagle2", "settings": {"top_k": 12}}, "not of width 12 and depth 5: choose a recorded width"),
        ({"method": "sam", "at": -1}, "its at"),
        ({"method": 3}, "its method"),
    ],
)
def test_what_cannot_be_answered_is_said_in_a_sentence(sets, question, says):
    assert says in asked(sets, what="look", **question)["error"]


def test_widths_that_were_not_recorded_are_named_beside_those_that_were(sets):
    found = {"left": 1}
    while found["left"]:
        found = asked(sets, what="curve", method="eagle2", knob="top_k")
    assert re.search(r"1[45] values cannot be replayed: .* not of width 1 ", found["panel"]["sentence"])
    assert {row["value"] for row in found["panel"]["table"]["rows"]} <= {"8", "10"}


def test_a_knob_without_values_is_refused(sets):
    assert "no knob" in asked(sets, what="curve", method="sam", knob="stop")["error"]
    assert "reload" in json.loads(answer(None, sets, HERE))["error"]


def test_a_form_that_asks_for_more_is_answered_as_far_as_was_recorded(sets):
    atlas = sets.find("").atlas
    assert config_of(atlas, "sam", {"max_new_tokens": 500}).stopping.max_new_tokens == 96
    assert config_of(atlas, "sam", {"max_new_tokens": 16}).stopping.max_new_tokens == 16
    with pytest.raises(ReSpecError, match="other one writes other texts"):
        config_of(atlas, "sam", {"ignore_eos": True})


def test_values_go_from_end_to_end_and_coarse_ones_come_first():
    knobs = page_knobs("respec-strict")
    theta = tried(knobs["theta_entropy"])
    assert (theta[0], theta[-1], len(theta)) == (0.0, 12.0, MOST_VALUES)
    assert tried(knobs["k_cand"]) == [*range(1, 17)]
    assert tried(knobs["feedback"]) == [False, True]
    for n in (0, 1, 2, 5, 16, 41):
        order = coarse_first(n)
        assert sorted(order) == [*range(n)]
        assert list(order[:2]) == [0, n - 1][:n] if n > 1 else True


def test_lengths_and_positions_of_given_rounds():
    rounds = [
        PlayedRound(0, 3, "model", 4, 3, 2, True, (1, 2), 0.0),
        PlayedRound(3, 4, "none", 0, 0, 0, False, (), 0.0),
        PlayedRound(4, 5, "model", 4, 2, 0, True, (), 0.0),
    ]
    first, second, third = by_position(rounds)
    assert (first.drafted, first.judged, first.accepted, first.conditional) == (2, 2, 1, 0.5)
    assert (second.judged, second.accepted, second.unconditional) == (1, 1, 0.5)
    assert (third.drafted, third.judged, third.accepted) == (1, 1, 0)
    view = lengths_view([(round.deepest, round.accepted) for round in rounds])
    assert "2 rounds drafted; 1.00 tokens accepted on average, 2.00 with" in view["sentence"]
    assert "1 of 3 rounds drafted nothing" in view["sentence"]


def test_the_picture_has_every_drafter_both_ways_and_a_row_a_position(sets):
    found = asked(sets, what="picture", **GATE, text="9")
    table, figure = found["panel"]["table"], found["panel"]["figures"]["atlas"]
    assert found["text"] == "9"
    assert "one-token forwards" in found["panel"]["sentence"]  # this text's verdict
    assert {"scored copies", "EAGLE head", "block drafter"} < {column["label"] for column in table["columns"]}
    assert [row["at"] for row in table["rows"]] == [*range(len(table["rows"]))]
    dots = [trace for trace in figure["data"] if trace["type"] == "scatter" and trace["mode"] == "markers"]
    oracle, own, spots = dots
    assert len(oracle["x"]) <= len(own["x"])  # no router takes fewer rounds
    assert all(spot["note"] for spot in spots["customdata"])


def test_losses_are_counted_text_by_text_and_add_up(sets):
    found = {"left": 12}
    while found["left"] > 9:
        found = asked(sets, what="regret", **GATE)
    rows = [row for row in found["panel"]["table"]["rows"] if row["unit"] == "passes lost"]
    spent, best = (
        int(n) for n in re.match(r"(\d+) passes, the best router (\d+)", found["panel"]["sentence"]).groups()
    )
    assert sum(row["lost"] for row in rows) == spent - best > 0


def test_a_position_opens_as_a_sound_trace_in_its_round(sets):
    found = asked(sets, what="round", **GATE, text="15", at=30)
    run = parse_trace(json.dumps(found["trace"]))
    assert violations(run) == []
    assert violations(parse_trace(json.dumps(as_browsers_write(found["trace"])))) == []
    assert run.tokens[30].round == found["round"]
    assert run.output_text and found["setup"]["method"] == "respec-strict"


def as_browsers_write(value):
    """JavaScript has one kind of number: 1.0 becomes 1."""
    if isinstance(value, dict):
        return {name: as_browsers_write(one) for name, one in value.items()}
    if isinstance(value, list):
        return [as_browsers_write(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def test_two_knobs_make_a_map_and_a_front(sets):
    question = {"what": "pair", "method": "pld", "knob": "max_ngram", "other": "budget_rule"}
    found = {"left": 1}
    while found["left"]:
        found = asked(sets, **question)
    rows = found["panel"]["table"]["rows"]
    assert len(rows) == len({(row["max_ngram"], row["budget_rule"]) for row in rows}) > 9
    front = found["front"]["table"]["rows"]
    assert max(row["mat"] for row in rows) == max(row["mat"] for row in front)
    assert max(row["ratio"] for row in rows) == max(row["ratio"] for row in front)
    assert "different knobs" in asked(sets, **{**question, "other": "max_ngram"})["error"]


def test_settings_are_copied_for_every_engine_and_what_has_none_says_so(sets):
    lines = {line["name"]: line for line in asked(sets, what="export", method="pld", knob="num_pred", value=7)["lines"]}
    assert '"num_pred": 7' in lines["settings (JSON)"]["text"]
    assert "num_speculative_tokens" in lines["vLLM (bash)"]["text"]
    none = {line["name"]: line for line in asked(sets, what="export", method="respec-strict")["lines"]}["vLLM"]
    assert not none["text"] and "no equivalent" in none["notes"][0]


@pytest.mark.parametrize(("method", "knob"), [("respec-strict", "theta_entropy"), ("sam", "len_threshold")])
def test_texts_played_once_for_several_thresholds_are_those_played_for_each(sets, method, knob):
    among = sets.find("")
    for value in (1, 2, 3, 4, 6):
        config = config_of(among.atlas, method, {"switch": "gate", knob: value} if method != "sam" else {knob: value})
        for text, found in zip(among.texts, among.outcomes(config), strict=True):
            fresh = outcome(text.stage, text.entry.id, text.entry.kind, config)
            assert (fresh.rounds, fresh.tally) == (found.rounds, found.tally)

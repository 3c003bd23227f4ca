"""Lessons: how they are read, what is refused, that ours are whole, and that every task has a right and a wrong answer."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.files import STATIC
from app.glossary import PANELS, TERMS
from app.learn.goal import Goal
from app.learn.lesson import Placed, parse_lesson
from app.learn.library import LESSONS, Library
from app.learn.markup import prose, words
from app.learn.page import checked_answer, lesson_json
from app.learn.questions.registry import MYTHS
from app.learn.recorded import recorded_run
from app.learn.widgets.registry import WIDGETS
from app.showcases import showcases
from respec_core.errors import ReSpecError
from respec_core.trace.summary import GLOSSARY

HEAD = "---\ntitle: Mine\nminutes: 2\nabout: A lesson.\n---\n"
MINE = f"""{HEAD}
## Look

Words, **strong** and `code`.

```run
trace: story-sam
```

## Task

```knob
knob: forward
goal: cost >= 2
say: Find one.
```
"""
OURS = [line["name"] for line in Library().lines()]
STEPS = ["Look", "Predict", "Try", "Task", "Limits and source"]


def pieces(name: str) -> list[tuple[int, int, Any, Any]]:
    """Step, place, what the lesson declares, and its view."""
    text = next(LESSONS.glob(f"*-{name}.md")).read_text()
    lesson, view = parse_lesson(name, text, WIDGETS), Library().view(name)
    return [
        (s, i, piece, view["steps"][s]["pieces"][i])
        for s, step in enumerate(lesson.steps)
        for i, piece in enumerate(step.pieces)
    ]


def test_there_are_ten_lessons_of_two_to_four_minutes_in_order() -> None:
    lines = Library().lines()
    assert [line["wrong"] for line in lines] == [""] * 10
    assert all(2 <= line["minutes"] <= 4 for line in lines)
    assert OURS == ["cost", "guess", "trees", "rule", "bonus", "copying", "respec", "eagle", "diffuspec", "slower"]


@pytest.mark.parametrize("name", OURS)
def test_a_lesson_is_a_picture_a_prediction_a_knob_a_checked_task_and_its_limits(name: str) -> None:
    view = Library().view(name)
    assert [step["title"] for step in view["steps"]] == STEPS
    look, predict, change, task, limits = ([piece["kind"] for piece in step["pieces"]] for step in view["steps"])
    assert {"figure", "run", "mask", "rule", "automaton"} & set(look)
    assert "question" in predict
    assert "knob" in change
    assert len({"knob", "number", "run"} & set(task)) == 1
    assert limits[0] == "list"
    told = json.dumps(view["steps"][-1])
    assert "https://arxiv.org/abs/" in told


def test_no_round_of_a_recording_is_named_by_its_number_for_recordings_are_made_anew() -> None:
    placed = [piece for name in OURS for _, _, piece, _ in pieces(name) if isinstance(piece, Placed)]
    named = [piece.fields for piece in placed if getattr(piece.fields, "round", 0) > 1]
    assert named == []


def test_a_run_opens_at_the_round_that_the_words_are_about(tmp_path: Path) -> None:
    block = "```run\ntrace: copy-code-sam\nopens: bonus = 1 and accepted >= 4\n```\n\n```run\ntrace: story-pld\nround: 0\n```\n"
    (tmp_path / "mine.md").write_text(f"{HEAD}## Here\n\n{block}")
    opened, telling = (piece for piece in Library((tmp_path,)).view("mine")["steps"][0]["pieces"])
    at = next(one for one in opened["readings"] if one["value"] == opened["start"])
    assert at["metrics"]["bonus"] == 1 and at["metrics"]["accepted"] >= 4
    assert telling["readings"][int(telling["start"]) - 1]["metrics"]["accepted"] >= 1


def test_the_counter_example_of_acceptance_is_a_run_that_beats_plain_decoding() -> None:
    [view] = [v for *_, piece, v in pieces("slower") if isinstance(piece, Placed) and piece.widget.name == "myth"]
    loser, winner = (float(said) for said in re.findall(r"([\d.]+)× plain", view["because"]))
    shares = [int(said) for said in re.findall(r"(\d+)%", " ".join(view["options"]))]
    assert loser < 1 < winner and shares[0] > shares[1] and view["right"] == 1


def test_sentences_name_the_precision_that_the_recordings_have() -> None:
    [figure] = [v for *_, v in pieces("cost") if v["kind"] == "figure"]
    [equal] = [v for *_, piece, v in pieces("guess") if isinstance(piece, Placed) and piece.widget.name == "myth"]
    kinds = {recorded_run(name).models["target"]["dtype"] for name in showcases()}
    assert f"embedded model in {' and '.join(sorted(kinds))}." in figure["sentence"]
    assert f"decoded in {recorded_run('story-respec-strict').models['target']['dtype']}," in equal["because"]


def test_every_misconception_stands_in_one_lesson_and_its_counter_example_is_right() -> None:
    placed = [piece for name in OURS for _, _, piece, _ in pieces(name) if isinstance(piece, Placed)]
    named = Counter(piece.fields.about for piece in placed if piece.widget.name == "myth")
    assert named == dict.fromkeys(MYTHS, 1)
    assert len(MYTHS) == 13


def test_questions_have_different_options_and_reasons_with_numbers() -> None:
    for name in OURS:
        for _, _, _, view in pieces(name):
            if view["kind"] == "question":
                assert len(set(view["options"])) == len(view["options"]) >= 2
                assert 0 <= view["right"] < len(view["options"])
                assert view["because"]


def tasks() -> list[tuple[str, int, int]]:
    return [
        (name, s, i)
        for name in OURS
        for s, i, piece, view in pieces(name)
        if isinstance(piece, Placed) and piece.widget.check and (view.get("goal") or view["kind"] == "number")
    ]


@pytest.mark.parametrize(("name", "step", "piece"), tasks())
def test_a_task_takes_a_right_answer_and_no_wrong_one(name: str, step: int, piece: int) -> None:
    view: Any = Library().view(name)["steps"][step]["pieces"][piece]
    if view["kind"] == "number":
        right, wrong = view["right"], [view["right"] + 1, view["right"] - 0.02, None, "1", True, 1e300]
    else:
        goal = Goal.parse(view["goal"], view["readings"], view["start"])
        right = next(one["value"] for one in view["readings"] if goal.met(one))
        wrong = [one["value"] for one in view["readings"] if not goal.met(one)] + [None, "3", -1, 1e300]
    verdict = Library().check(name, step, piece, right)
    assert verdict["right"] and verdict["sentence"].startswith("Right")
    for given in wrong:
        verdict = Library().check(name, step, piece, given)
        assert not verdict["right"] and verdict["sentence"]


def test_every_lesson_of_ours_has_a_task() -> None:
    assert {name for name, *_ in tasks()} == set(OURS)


def test_a_lesson_that_a_teacher_adds_appears_and_its_task_is_checked(tmp_path: Path) -> None:
    (tmp_path / "20-mine.md").write_text(MINE)
    library = Library((LESSONS, tmp_path))
    assert [line["name"] for line in library.lines()][-1] == "mine"
    view = library.view("mine")
    assert view["title"] == "Mine" and view["steps"][0]["pieces"][1]["kind"] == "run"
    assert library.check("mine", 1, 0, 60)["right"]
    assert not library.check("mine", 1, 0, 2)["right"]
    (tmp_path / "20-mine.md").write_text(MINE.replace("title: Mine", "title: Changed since"))
    assert library.lines()[-1]["title"] == "Changed since"


def test_a_teacher_s_own_trace_stands_beside_the_lesson(tmp_path: Path) -> None:
    (tmp_path / "ours.json").write_bytes(showcases()["story-pld"].path.read_bytes())
    (tmp_path / "mine.md").write_text(MINE.replace("trace: story-sam", "trace: ours"))
    assert [run["run"]["method"] for run in Library((tmp_path,)).view("mine")["runs"].values()] == ["pld"]
    (tmp_path / "mine.md").write_text(MINE.replace("trace: story-sam", "trace: ../ours"))
    with pytest.raises(ReSpecError, match="There is no recorded run"):
        Library((tmp_path,)).view("mine")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# no head", "does not begin with its title"),
        (HEAD.replace("minutes: 2", "minutes: some") + "## A\n", "minutes"),
        (HEAD.replace("about: A lesson.", "colour: red") + "## A\n", "colour|about"),
        (f"{HEAD}words\n## A\n", "outside its steps"),
        (HEAD, "outside its steps"),
        (HEAD + "## A\n" * 13, "more than 12 steps"),
        (f"{HEAD}## A\n```run\ntrace: story-sam\n", "not closed"),
        (f"{HEAD}## A\n```script\nx: 1\n```\n", "no widget 'script'"),
        (f"{HEAD}## A\n```run\ntrace\n```\n", "not of the form"),
        (f"{HEAD}## A\n```run\ntrace: a\ntrace: b\n```\n", "given twice"),
        (f"{HEAD}## A\n```run\ntrace: a\nshade: 1\n```\n", "shade"),
        (f"{HEAD}## A\n```run\ntrace: {'a' * 500}\n```\n", "trace"),
        (f"{HEAD}## A\n" + "word\n\n" * 30, "up to 24 blocks"),
        (HEAD + "## A\n" + "x" * 70_000, "longer than"),
    ],
)
def test_what_is_no_lesson_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(ReSpecError, match=said):
        parse_lesson("mine", text, WIDGETS)


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("run\ntrace: nothing", "There is no recorded run 'nothing'"),
        ("run\ntrace: story-sam\nround: 900", "rounds 1 to"),
        ("run\ntrace: story-sam\nopens: copied >= 4", "No value reaches"),
        ("run\ntrace: story-sam\ngoal: accepted >= 1", "No value reaches"),
        ("run\ntrace: story-pld\ngoal: tokens >= 1", "met from the start"),
        ("run\ntrace: story-pld\ngoal: tokens > one", "not of the form"),
        ("run\ntrace: story-pld\ngoal: height > 1", "names height"),
        ("knob\nknob: volume", "no knob 'volume'"),
        ("knob\nknob: forward\nstart: 1.5", "no value 1.5"),
        ("knob\nknob: forward\ndraw: cost, height", "draws one or two of cost, per_token"),
        ("knob\nknob: width\ntrace: copy-code-sam", "branches"),
        ("knob\nknob: theta\ntrace: copy-code-respec", "Only a strict greedy run"),
        ("knob\nknob: floor\ntrace: copy-code-respec", "needs a strict greedy run"),
        ("knob\nknob: mix\nphrases: one | two words", "same number of words"),
        ("knob\nknob: temperature\np: 0.5 0.6\nq: 0.5 0.5", "sum to 1"),
        ("predict\nabout: weather", "no question about 'weather'"),
        ("predict\nabout: calm-round\ntrace: story-sam", "entropies"),
        ("myth\nabout: flat-earth\nclaim: It is.", "no misconception 'flat-earth'"),
        ("number\nask: age\ntrace: story-sam", "no number 'age'"),
        ("number\nask: mean-with-bonus\ntrace: story-sam", "No round of this run drafted"),
        ("figure\nof: clouds", "no figure 'clouds'"),
        ("figure\nof: lattice\ntrace: story-pld\nround: 1", "no lattice"),
        ("figure\nof: trigger\ntrace: story-sam\ntheta: 12\nfires: no", "no round stays silent"),
        ("figure\nof: lineages\ntrace: story-sam", "scored by lineage"),
        ("growth\ntrace: story-pld\nround: 1", "No reranking left"),
        ("growth\ntrace: story-eagle2\nnodes: 900", "8 to 60"),
        ("myth\nclaim: It is.\nabout: acceptance-is-speed\ntrace: story-pld, story-diffuspec", "No two of these runs"),
        ("mask\ntrace: story-sam\nround: 1", "Nothing was drafted"),
        ("mask\ntrace: story-pld\nround: 1\nnodes: 99", "2 to 24"),
        ("rule\ntokens: a b\np: 0.5 0.3 0.2\nq: 0.2 0.3 0.5", "as many entries"),
        ("rule\ntokens: a b\np: 1 0\nq: 0.5 0.5", "possible"),
        ("automaton\ntext: " + "a " * 60, "1 to 24 words"),
    ],
)
def test_values_that_make_no_sense_are_refused_and_the_place_is_named(tmp_path: Path, block: str, said: str) -> None:
    (tmp_path / "mine.md").write_text(f"{HEAD}## Here\n\n```{block}\n```\n")
    with pytest.raises(ReSpecError, match=f"‘Here’ of the lesson mine.*{said}"):
        Library((tmp_path,)).view("mine")


def test_a_broken_lesson_is_listed_with_what_is_wrong_and_the_others_stay(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_text("# no head")
    (tmp_path / "worse.md").write_bytes(b"\xff\xfe")
    (tmp_path / "Not a name!.md").write_text(MINE)
    lines = Library((LESSONS, tmp_path)).lines()
    assert [line["name"] for line in lines if line["wrong"]] == ["bad", "worse"]
    assert len(lines) == 12


def test_all_lessons_can_be_made_beforehand_whatever_is_wrong_with_one(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_text(f"{HEAD}## A\n\n```run\ntrace: nothing\n```\n")
    Library((tmp_path, LESSONS)).warm()


def test_markup_is_never_html_and_odd_links_stay_text() -> None:
    [paragraph] = prose("<img src=x onerror=alert(1)> [x](javascript:alert(1)) and [y](//elsewhere.org)")
    assert [one["href"] for one in paragraph["lines"][0]] == [""] * len(paragraph["lines"][0])
    assert "".join(one["text"] for one in paragraph["lines"][0]).startswith("<img src=x")
    assert words("a **b** *c* `d` [e](https://arxiv.org/abs/1)") == [
        {"text": "a ", "style": "plain", "href": "", "term": None},
        {"text": "b", "style": "strong", "href": "", "term": None},
        {"text": " ", "style": "plain", "href": "", "term": None},
        {"text": "c", "style": "em", "href": "", "term": None},
        {"text": " ", "style": "plain", "href": "", "term": None},
        {"text": "d", "style": "code", "href": "", "term": None},
        {"text": " ", "style": "plain", "href": "", "term": None},
        {"text": "e", "style": "plain", "href": "https://arxiv.org/abs/1", "term": None},
    ]
    assert words("a [tree](term:draft-tree)")[1]["term"]["name"] == "draft tree"
    assert words("[x](term:nothing)")[0]["text"] == "[x](term:nothing)"
    assert [block["kind"] for block in prose("1. a\n2. b\n\n- c\n  d\n\n### e")] == ["numbered", "list", "heading"]


@pytest.mark.parametrize(
    "asked",
    [None, 3, "", "{", "[]", '{"lesson": "cost"}', '{"lesson": "no", "step": 0, "piece": 0}', "x" * 3000]
    + [
        json.dumps({"lesson": "cost", "step": s, "piece": p, "given": 1})
        for s, p in [(0, 0), (50, 0), (-1, 0), (True, 0)]
    ],
)
def test_answers_that_are_none_get_a_sentence(asked: object) -> None:
    verdict = checked_answer(Library(), asked)
    assert not verdict["right"] and verdict["sentence"]


def test_every_word_of_the_glossary_is_met_somewhere() -> None:
    """In a lesson, as a panel's title, as a number's name, as a fact of a token or a measure of Compare."""
    told = "".join(path.read_text() for path in LESSONS.glob("*.md"))
    named = set(re.findall(r"\(term:([\w-]+)\)", told))
    scripts = "".join((STATIC / f"{name}.js").read_text() for name in ("cards", "compare_table"))
    shown = {*named, *PANELS.values(), *(name.replace(" ", "-") for name in GLOSSARY)}
    assert named <= set(TERMS) and set(PANELS.values()) <= set(TERMS)
    assert [key for key, term in TERMS.items() if key not in shown and f'"{term["name"]}"' not in scripts] == []
    assert all(term["about"] and term["source"] for term in TERMS.values())


def test_an_unknown_lesson_is_answered_in_a_sentence() -> None:
    assert "There is no lesson" in json.loads(lesson_json(Library(), "../etc/passwd"))["error"]
    assert json.loads(lesson_json(Library(), "cost"))["lesson"]["title"].startswith("Why")

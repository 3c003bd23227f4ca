"""What is said of settings before a run: what contradicts, what has no effect, the largest draft."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.form import form_schema
from app.outlook import COLUMNS, ROWS, outlook_view
from app.outlook import outlook as answer
from respec_core.methods.outlook import NOTHING_DRAFTED, outlook
from respec_core.methods.registry import METHODS, find_method
from respec_core.settings.sketch import example

ALL = [(method, preset) for method in METHODS for preset in (None, *(p.name for p in method.presets))]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(0, 80))
def test_an_example_is_a_tree_within_its_levels(levels, nodes):
    nodes = min(nodes, sum(levels))
    parents = example(levels, nodes)
    depths = [0]
    for i, parent in enumerate(parents, 1):
        assert parent < i
        depths.append(depths[parent] + 1)
    sizes = Counter(depths[1:])
    assert len(parents) == nodes
    assert max(depths) == min(nodes, len(levels))
    assert all(sizes[depth] <= most for depth, most in enumerate(levels, 1))


@pytest.mark.parametrize(("method", "preset"), ALL, ids=[f"{m.name}-{p}" for m, p in ALL])
def test_every_method_declares_its_largest_draft_and_what_to_show_first(method, preset):
    values = dict(next((p.values for p in method.presets if p.name == preset), ()))
    view = outlook_view(method, values)
    assert not view["wrong"]
    assert view["parts"] or view["size"] == NOTHING_DRAFTED
    assert all(0 < len(part["parents"]) <= ROWS * COLUMNS for part in view["parts"])
    chosen = next(m for m in form_schema()["methods"] if m["name"] == method.name)
    shared = [knob for group in form_schema()["groups"] for knob in group["knobs"]]
    known = {knob["name"]: knob for knob in [*shared, *chosen["knobs"]]}
    lines = [known[name]["line"] for name in method.front]
    assert 2 <= len(lines) <= 4
    assert all(0 < len(line) <= 60 and not line.endswith(".") for line in lines)
    assert not set(method.front) & view["idle"].keys() or preset is not None


@pytest.mark.parametrize(
    ("method", "values", "name", "said"),
    [
        ("respec", {}, "theta_entropy", "Entropy threshold θ has no effect while Copies, model or both is adaptive."),
        ("respec", {"feedback": False}, "alpha", "Score rate α has no effect while Feedback is off."),
        ("pld", {}, "relax_eps", "Relaxed ratio has no effect while Verification is strict."),
        ("pld", {}, "top_p", "Top-p has no effect while Temperature is 0."),
        ("pld", {"budget": "own"}, "budget", "Fixed size has no effect while Draft size is own."),
        ("eagle2", {"rule": "relaxed"}, "rule", "Nothing is copied, so nothing is relaxed"),
        ("vanilla", {}, "rule", "Nothing is drafted"),
    ],
)
def test_what_has_no_effect_is_said(method, values, name, said):
    assert outlook(find_method(method), values).idle[name].startswith(said)


@pytest.mark.parametrize(
    ("method", "values", "name"),
    [
        ("respec", {"switch": "gate"}, "theta_entropy"),
        ("respec", {}, "alpha"),
        ("respec", {}, "relax_eps"),
        ("pld", {"temperature": 0.5}, "top_p"),
        ("pld", {"budget": 9}, "budget"),
        ("pld", {"rule": "relaxed"}, "rule"),
    ],
)
def test_what_has_an_effect_is_not(method, values, name):
    assert name not in outlook(find_method(method), values).idle


@pytest.mark.parametrize(
    ("method", "values", "said"),
    [
        ("diffuspec", {"k_min": 30, "k_max": 20}, "the shortest draft, k_min = 30, is longer than the longest"),
        ("pld", {"rule": "fly", "temperature": 0.7}, "FLy is a rule for temperature 0"),
        ("pld", {"num_pred": 0}, "num_pred = 0 is not possible"),
    ],
)
def test_what_cannot_be_run_is_said_as_a_run_would_say_it(method, values, said):
    assert said in outlook(find_method(method), values).wrong


@pytest.mark.parametrize(
    ("method", "values", "size"),
    [
        ("eagle2", {"budget": "own"}, "At most 59 draft nodes a round."),
        ("eagle2", {"budget": 7}, "At most 7 draft nodes a round."),
        ("eagle2", {}, "At most 59 draft nodes a round. The clock keeps as many of them as pay."),
        ("vanilla", {}, NOTHING_DRAFTED),
        ("respec", {"budget": 1}, "At most 1 draft node a round, all in one tree."),
    ],
)
def test_the_largest_draft_in_words(method, values, size):
    assert outlook(find_method(method), values).size == size


def test_depth_and_width_are_told_by_drafter():
    parts = outlook_view(find_method("sam"), {"budget": "own", "auxiliary": "recycling", "n_predicts": 9})["parts"]
    assert [(part["name"], part["about"], part["whole"]) for part in parts] == [
        ("the copy", "a chain of 8", True),
        ("remembered successors", "5 deep, 22 wide", False),
    ]


@pytest.mark.parametrize(
    "asked", ["", "[]", '{"method": "pld"}', '{"method": "no", "settings": {}}', None, "x" * 20_000]
)
def test_what_is_no_question_is_answered_in_one_sentence(asked):
    assert '"wrong": "' in answer(asked)
    assert '"wrong": ""' not in answer(asked)

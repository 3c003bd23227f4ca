"""Counting on known text: the same tokens in the same rounds as the real target gives."""

from __future__ import annotations

import pytest
from tiny import StubModel, count_up

from respec_core.bench.comparison import compare, count_on_known_text
from respec_core.bench.known_text import KnownText
from respec_core.engine.decoding import Request
from respec_core.engine.tree import DraftTree
from respec_core.errors import ReSpecError
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete

PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 4)
LEARNS_FROM_REJECTED = ("recycling", "racer", "toolspec")


def configured(name: str, **values):
    return find_method(name).configure({"budget": "own", "max_new_tokens": 32, "rule": "strict"} | values)


@pytest.mark.parametrize("name", [m.name for m in METHODS if m.name not in LEARNS_FROM_REJECTED])
def test_counting_on_known_text_has_the_rounds_of_the_real_run(name, tiny_models):
    config = configured(name)
    request = Request(config, PROMPT)
    (real,) = compare(request, [config], tiny_models)
    (again,) = count_on_known_text(request, [config], tiny_models)
    assert again.run.output_ids == real.run.output_ids
    assert [step.commit.emitted_ids for step in again.run.steps] == [step.commit.emitted_ids for step in real.run.steps]
    assert again.first_difference is None
    assert again.time_ratio is None


def test_settings_that_cannot_be_counted_are_refused(tiny_models):
    for name, values, says in (
        ("pld", {"temperature": 0.5}, "strict greedy"),
        ("respec", {"rule": "relaxed"}, "strict greedy"),
        ("pld", {"budget": "auto"}, "clock"),
        ("recycling", {}, "rejected tokens"),
        ("diffuspec", {"proxy": "recycling"}, "rejected tokens"),
    ):
        config = configured(name, **values)
        with pytest.raises(ReSpecError, match=says):
            count_on_known_text(Request(config, PROMPT), [config], tiny_models)
    config = configured("respec-strict")
    with pytest.raises(ReSpecError, match="rejected tokens"):  # without a head its fallback is recycling
        count_on_known_text(Request(config, PROMPT), [config], Models(tiny_models.target))


def test_another_text_is_noticed(tiny_models):
    config = configured("vanilla")
    written = complete(Request(config, PROMPT), tiny_models).output_ids
    wrong = [*written[:3], (written[3] + 1) % 90, *written[4:]]
    session = KnownText(tiny_models.target, PROMPT, wrong).session(64)
    for _ in session.prefill(PROMPT[:-1]):
        pass
    session.keep([0, 1, 2, 3])
    with pytest.raises(ReSpecError, match="left the text of plain decoding at token 3"):
        session.forward(DraftTree.root(written[3]))


@pytest.mark.parametrize(
    ("method", "values", "learns"),
    [
        ("recycling", {}, True),
        ("racer", {}, True),
        ("toolspec", {}, True),
        ("racer", {"max_breadth": 0}, False),
        ("sam", {"auxiliary": "recycling"}, True),
        ("respec", {"fallback": "auto"}, True),
        ("diffuspec", {"proxy": "recycling"}, True),
        ("sam", {}, False),
        ("respec", {"fallback": "none"}, False),
        ("pld", {}, False),
    ],
)
def test_methods_say_whether_they_learn_from_rejected_tokens(method, values, learns):
    asked = find_method(method)
    assert asked.learns_from_rejected(asked.configure(values).params, lambda need: False) is learns
    if values == {"fallback": "auto"}:
        assert not asked.learns_from_rejected(asked.configure(values).params, lambda need: True)


def test_the_target_is_asked_once_for_all_sessions():
    target = StubModel(count_up)
    text = KnownText(target, (1, 2, 3), (4, 5, 6))
    for _ in range(2):
        session = text.session(64)
        assert [done for done, _ in session.prefill((1, 2), chunk=1)] == [1, 2]
        for node in (3, 4, 5):
            assert int(session.forward(DraftTree.root(node)).logits.argmax()) == node + 1
            session.keep([0])
    assert target.forwards == 1

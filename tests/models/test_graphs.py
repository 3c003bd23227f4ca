"""Whole runs of every method over places, as on a card: the same texts; and when there are none, it is said why."""

from __future__ import annotations

import gc

import pytest
from recorded_steps import recorded
from test_lean_forward import random_model
from tiny import id_store, tiny_block, tiny_head, tiny_model, tiny_network

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete, decode
from respec_core.methods.traces import violations
from respec_core.models.graphs import SWITCH, captured_places, tried, wanted
from respec_core.models.language_model import LanguageModel
from respec_core.trace.events import Committed

PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 4)


def placed(seed: int = 1) -> LanguageModel:
    model = tiny_model(seed=seed)
    model.places = tried(model, lambda: recorded)
    return model


def around(target: LanguageModel, drafter: LanguageModel) -> Models:
    head = tiny_head(target)
    return Models(target, DraftModel(drafter), id_store(list(range(5, 60)), PROMPT), head, tiny_block(head))


@pytest.fixture(scope="module")
def models() -> Models:
    return around(placed(), placed())


@pytest.fixture(scope="module")
def plain() -> Models:
    return around(tiny_model(seed=1), tiny_model(seed=1))


def request(method: str, **values) -> Request:
    return Request(
        find_method(method).configure({"max_new_tokens": 40, "budget": "own", "rule": "strict"} | values), PROMPT
    )


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_every_method_writes_what_it_writes_without(method, models, plain):
    run, without = complete(request(method), models), complete(request(method), plain)
    assert run.output_ids == without.output_ids
    assert violations(run) == []
    assert [step.commit.n_accepted for step in run.steps] == [step.commit.n_accepted for step in without.steps]


@pytest.mark.parametrize("method", ["vanilla", "pld", "draft-model"])
def test_samples_are_the_same(method, models, plain):
    sampled = request(method, temperature=0.8, seed=3)
    assert complete(sampled, models).output_ids == complete(sampled, plain).output_ids


def test_a_run_that_is_closed_hands_its_places_back():
    target = placed()
    first, second = target.session(10), target.session(10)
    lent = {id(first.place), id(second.place)}
    del first, second
    for _ in range(2):
        run = decode(request("draft-model"), around(target, target))
        next(event for event in run if isinstance(event, Committed))
        run.close()
        del run
        gc.collect()
    third, fourth = target.session(10), target.session(10)
    assert {id(third.place), id(fourth.place)} == lent


def test_a_processor_has_none_and_says_nothing():
    model = LanguageModel(tiny_network().cpu())
    assert captured_places(model) is None
    assert model.note == ""


def test_what_cannot_be_captured_runs_one_by_one_with_a_note():
    def fails(step):
        raise RuntimeError("operation not permitted when stream is capturing\nmore")

    model = random_model()
    assert tried(model, lambda: fails) is None
    assert (
        model.note
        == "without CUDA graphs, which could not be captured: operation not permitted when stream is capturing"
    )


def test_a_model_that_is_not_lean_runs_through_transformers_with_a_note():
    model = random_model("gemma2")
    assert tried(model, lambda: recorded) is None
    assert model.note == "through transformers, without CUDA graphs: its architecture is gemma2"


def test_the_switch_is_0_or_1(monkeypatch):
    for said, means in (("", True), ("1", True), ("0", False)):
        monkeypatch.setenv(SWITCH, said)
        assert wanted() is means
    monkeypatch.setenv(SWITCH, "off")
    with pytest.raises(ReSpecError, match="give 0"):
        wanted()

"""Whole runs of every method over places, as on a card: the same texts; and when there are none, it is said why."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import pytest
import torch
from recorded_steps import recorded
from tiny import id_store, tiny_block, tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.eagle.loading import level_places
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete, decode
from respec_core.methods.traces import violations
from respec_core.models.graphs import SWITCH, captured_places, capturing, keep_if_exact, places_of
from respec_core.models.language_model import LanguageModel
from respec_core.trace.events import Committed

PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 4)


def placed(seed: int = 1) -> LanguageModel:
    model = tiny_model(seed=seed)
    model.places = places_of(model, lambda: recorded)
    return model


def around(target: LanguageModel, drafter: LanguageModel) -> Models:
    head = tiny_head(target)
    if target.places is not None:
        head.places = level_places(target, head, lambda: recorded)
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


@pytest.mark.parametrize("method", ["vanilla", "recycling", "draft-model", "eagle2", "diffuspec", "respec-strict"])
def test_methods_write_what_they_write_without(method, models, plain):
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


def test_nothing_is_captured_unless_asked_for(monkeypatch):
    model = tiny_model()
    for said in ("", "0", "1"):
        monkeypatch.setenv(SWITCH, said)
        assert captured_places(model) is None  # a processor captures nothing
    on_a_card = SimpleNamespace(device=torch.device("cuda"), lean=None)
    for said in ("", "1"):
        monkeypatch.setenv(SWITCH, said)
        assert (capturing(on_a_card) is None) is (said == "")
        assert captured_places(on_a_card) is None  # it is not lean
    monkeypatch.setenv(SWITCH, "off")
    with pytest.raises(ReSpecError, match="give 1"):
        captured_places(on_a_card)


def test_graphs_that_give_other_logits_are_done_without():
    def wrong(step):
        return lambda: tuple(part * 2 if isinstance(part, torch.Tensor) else part for part in step())

    model = tiny_model()
    model.places = places_of(model, lambda: wrong)
    keep_if_exact(model)
    assert model.places is None
    assert model.note.startswith("without CUDA graphs: tiny-llama gives other logits")
    model.note, model.places = "", places_of(model, lambda: recorded)
    keep_if_exact(model)
    assert (model.places is None, model.note) == (False, "")

"""What is loaded beside a target: declared, in an order, one of a kind, asked for by type."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

import pytest
from tiny import StubModel, count_up, counting_diffusion, id_store, tiny_model

from respec_core.errors import ReSpecError
from respec_core.methods import registry
from respec_core.methods.diffuspec.block import BlockDiffusion
from respec_core.methods.diffuspec.denoiser import DiffusionModel
from respec_core.methods.eagle.head import EagleHead
from respec_core.methods.family import Family, named
from respec_core.methods.needs import OneOf, Resource, opening_order
from respec_core.methods.opening import ModelChoice, add_model_options, open_models
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.parts.shared import DRAFT_MODEL, MODEL_DRAFTER
from respec_core.methods.registry import FAMILIES, METHODS, RESOURCES, find_method
from respec_core.methods.resources import Models
from respec_core.retrieval.datastore import Datastore

STUB = Models(StubModel(count_up))


def resource(name: str, *after: str, kind: str = "") -> Resource:
    return Resource(name, "make one.", kind=kind or f"nowhere:{name}", opener="", help="", after=after)


@dataclass(frozen=True)
class Undeclared:
    def describe(self) -> dict[str, object]:
        return {}


def test_what_is_loaded_is_asked_for_by_its_type(tiny_models: Models) -> None:
    head = tiny_models.require(EagleHead, "somebody")
    assert tiny_models.get(EagleHead) is head
    block = tiny_models.require(DiffusionModel, "somebody")
    assert isinstance(block, BlockDiffusion) and block.head is head
    assert tiny_models.require(DraftModel, "somebody").model is not tiny_models.target
    assert STUB.get(EagleHead) is None
    with pytest.raises(ReSpecError, match=r"^somebody needs a head: give --head NAME, an EAGLE head"):
        STUB.require(EagleHead, "somebody")
    with pytest.raises(ReSpecError, match=r"^somebody needs a diffusion: give --diffusion NAME"):
        STUB.require(DiffusionModel, "somebody")


def test_one_takes_the_place_of_another_of_its_kind(tiny_models: Models) -> None:
    store = id_store([1, 2, 3])
    changed = tiny_models.having(store)
    assert changed.get(Datastore) is store and tiny_models.get(Datastore) is not store
    assert [changed.get(kind) is tiny_models.get(kind) for kind in (DraftModel, EagleHead, DiffusionModel)] == [
        True
    ] * 3
    assert STUB.having(store).others == (store,)
    with pytest.raises(TypeError, match="two of a kind"):
        Models(STUB.target, store, id_store([1]))
    with pytest.raises(TypeError, match="no resource declares Undeclared"):
        Models(STUB.target, Undeclared())


def test_a_need_of_one_of_several_is_met_by_either(tiny_models: Models) -> None:
    draft, head = DraftModel(tiny_model(seed=2)), tiny_models.require(EagleHead, "")
    assert not STUB.meets(MODEL_DRAFTER)
    assert Models(tiny_model(seed=1), draft).meets(MODEL_DRAFTER)
    assert Models(tiny_models.target, head).meets(MODEL_DRAFTER)
    assert not Models(STUB.target, counting_diffusion()).meets(MODEL_DRAFTER)
    with pytest.raises(
        ReSpecError, match=r"^rasd needs a model-drafter: give --head NAME \(.*\) or --draft-model NAME"
    ):
        find_method("rasd").build({}, STUB)


def test_the_trace_names_what_there_is(tiny_models: Models) -> None:
    described = tiny_models.describe()
    assert set(described) == {"target", "draft", "head", "diffusion", "datastore"}
    assert set(STUB.describe()) == {"target"}
    assert described["draft"]["name"] == "tiny-llama" and described["head"]["layout"] == "respec"
    assert described["datastore"] == {"tokens": 87, "sources": 2}


def test_the_order_follows_what_openers_look_at() -> None:
    names = [r.name for r in opening_order([resource("c", "b"), resource("a"), resource("b", "a")])]
    assert names == ["a", "b", "c"]
    assert [r.name for r in opening_order([resource("b"), resource("a")])] == ["b", "a"]
    order = [r.name for r in RESOURCES]
    assert order.index("head") < order.index("diffusion")
    for wrong, said in (
        ([resource("a"), resource("a")], "two resources a"),
        ([resource("a", kind="m:K"), resource("b", kind="m:K")], "two resources m:K"),
        ([resource("a", "b")], "a is opened after b, which is not there"),
        ([resource("a", "b"), resource("b", "a")], "after each other: a, b, a"),
    ):
        with pytest.raises(ValueError, match=said):
            opening_order(wrong)


def test_what_is_declared_can_be_imported_and_what_is_needed_is_declared() -> None:
    for r in RESOURCES:
        assert isinstance(named(r.kind), type) and callable(named(r.opener)) and (not r.fits or callable(named(r.fits)))
    names = {r.name for r in RESOURCES}
    for method in METHODS:
        assert all(names.issuperset(need.met_by) for need in method.needs), method.name


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"resources": (resource("head"),)}, "two resources head"),
        ({"methods": (find_method("pld"),)}, "a method pld already"),
        ({"methods": (replace(find_method("pld"), name="mine", needs=(resource("gem"),)),)}, "mine needs a gem, which"),
        ({"methods": (replace(find_method("pld"), name="mine", needs=(OneOf("x", "", ("y", "z")),)),)}, "needs a x"),
    ],
)
def test_a_family_that_does_not_fit_in_is_left_out(monkeypatch: pytest.MonkeyPatch, changes: dict, said: str) -> None:
    family = replace(Family("mine", ()), **changes)
    entry = type("Entry", (), {"name": "mine", "value": "mine:FAMILY", "load": lambda self: family})
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry()])
    with pytest.warns(UserWarning, match=f"mine is left out: .*{said}"):
        assert registry._families() == FAMILIES


def test_every_resource_is_an_option_and_a_choice() -> None:
    parser = argparse.ArgumentParser()
    add_model_options(parser, datastore="demo")
    line = parser.parse_args(["--model", "m", "--draft-model", "d", "--dtype", "fp32"])
    assert ModelChoice.parsed(line) == ModelChoice("m", beside={"draft-model": "d", "datastore": "demo"}, dtype="fp32")
    assert ModelChoice.parsed(parser.parse_args(["--datastore", ""])).beside == {}
    assert ModelChoice.of({"head": "h", "device": "cpu"}) == ModelChoice(beside={"head": "h"}, device="cpu")
    with pytest.raises(ReSpecError, match="no option 'beside' of load; there are: model, draft_model, "):
        ModelChoice.of({"beside": {}})


def test_what_is_chosen_is_opened_and_no_more(model_dir: str) -> None:
    models = open_models(ModelChoice(model_dir, beside={"draft-model": model_dir}, device="cpu"), lambda _: None)
    assert [type(other) for other in models.others] == [DraftModel] and models.meets(DRAFT_MODEL)

"""The int8 form is made of a checkpoint once: what opens from the cache is what was made."""

from __future__ import annotations

import warnings

import pytest
import torch
from test_lean_forward import random_model
from tiny import FAMILIES, VOCAB

from respec_core.engine.tree import DraftTree
from respec_core.models.kept_int8 import PRODUCTS, begin_opening, keep, kept_folder
from respec_core.models.language_model import LanguageModel, load_model
from respec_core.models.lean.int8 import processor_has_it

pytestmark = pytest.mark.skipif(not processor_has_it(), reason="int8 needs an x86 processor")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RESPEC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def opened(path):
    opening = begin_opening(path)
    return opening and opening.network("kept")


def logits(model: LanguageModel) -> torch.Tensor:
    session = model.session(24, (0, 1, -1))
    for _ in session.prefill([(7 * i) % VOCAB for i in range(12)]):
        pass
    return session.forward(DraftTree.chain(3, [4, 5], "x")).logits


@pytest.mark.parametrize("tied", [False, True], ids=["own head", "tied"])
@pytest.mark.parametrize("family", FAMILIES)
def test_what_opens_is_what_was_made(family, tied, tmp_path):
    made = random_model(family, tie_word_embeddings=tied)
    made.network.generation_config.eos_token_id = [7, 9]
    made.network.save_pretrained(tmp_path)
    keep(tmp_path, made.network)
    filters = list(warnings.filters)
    found = opened(tmp_path)
    assert found is not None and warnings.filters == filters  # which threads share
    network, lean = found
    again = LanguageModel(network, int8=True, lean=lean)
    assert again.eos_ids == {7, 9} and again.why_not_lean is None
    assert (again.max_context, again.n_layers, again.vocab_size) == (made.max_context, made.n_layers, made.vocab_size)
    assert torch.equal(logits(again), logits(made.in_int8()))
    assert torch.equal(again.embedding, made.embedding)
    lent, own = (model.network.get_output_embeddings().weight for model in (again, made))
    assert torch.equal(lent, own)  # which public EAGLE heads borrow


def test_nothing_opens_where_nothing_is_kept_or_the_checkpoint_changed(tmp_path, cache):
    made = random_model()
    made.network.save_pretrained(tmp_path)
    assert opened(tmp_path) is None
    keep(tmp_path, made.network)
    before = kept_folder(tmp_path)
    (tmp_path / "config.json").write_text((tmp_path / "config.json").read_text() + " ")
    assert kept_folder(tmp_path) != before
    assert opened(tmp_path) is None


def test_a_damaged_copy_is_as_good_as_none(tmp_path):
    made = random_model()
    made.network.save_pretrained(tmp_path)
    keep(tmp_path, made.network)
    products = kept_folder(tmp_path) / PRODUCTS
    products.write_bytes(products.read_bytes()[:-100])
    assert opened(tmp_path) is None


def test_a_folder_loads_in_int8_and_the_second_time_from_the_cache(model_dir, cache):
    first = load_model(model_dir, "cpu", "int8")
    assert first.describe()["dtype"] == "int8"
    (folder,) = cache.glob("int8/*")
    written = (folder / PRODUCTS).stat().st_mtime_ns
    second = load_model(model_dir, "cpu", "int8")
    assert (folder / PRODUCTS).stat().st_mtime_ns == written
    assert torch.equal(logits(first), logits(second))
    assert second.eos_ids == load_model(model_dir, "cpu", "fp32").eos_ids


def test_a_cache_that_cannot_be_written_is_done_without(model_dir, cache):
    cache.write_text("in the way")
    assert load_model(model_dir, "cpu", "int8").describe()["dtype"] == "int8"

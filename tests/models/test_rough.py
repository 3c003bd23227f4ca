"""Drafters' int8 products: near enough for a guess, the same for a row alone and in company."""

from __future__ import annotations

import pytest
import torch
from tiny import tiny_block, tiny_head, tiny_model
from torch import nn

from respec_core.engine.decoding import Request
from respec_core.methods.diffuspec.loading import load_diffusion
from respec_core.methods.eagle.loading import load_head
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models.lean.rough import RoughLinear, is_fast, roughly

pytestmark = pytest.mark.skipif(not is_fast(), reason="drafters run in int8 where the processor multiplies it itself")


@pytest.mark.parametrize("bias", [False, True])
def test_a_product_is_near_the_linear_layers(bias):
    torch.manual_seed(4)
    linear, x = nn.Linear(96, 56, bias=bias), torch.randn(3, 5, 96) * torch.tensor([1e-3, 1.0, 1e3])[:, None, None]
    truth, rough = linear(x), RoughLinear(linear)(x)
    size = (truth - (linear.bias if bias else 0)).norm(dim=-1)
    assert bool(((rough - truth).norm(dim=-1) < 0.02 * size).all())
    assert not torch.equal(rough, truth)


def test_a_row_does_not_depend_on_its_company():
    torch.manual_seed(5)
    rough, x = RoughLinear(nn.Linear(64, 96)), torch.randn(17, 64)
    assert torch.equal(torch.cat([rough(x[:1]), rough(x[1:9]), rough(x[9:])]), rough(x))
    assert torch.equal(RoughLinear(nn.Linear(64, 8, bias=False))(torch.zeros(2, 64)), torch.zeros(2, 8))


def test_every_linear_layer_is_taken_at_any_depth():
    inner = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    network = nn.Sequential(inner, nn.Linear(4, 2))
    roughly(network)
    assert isinstance(network[1], RoughLinear) and isinstance(inner[0], RoughLinear)
    assert not any(isinstance(part, nn.Linear) for part in network.modules())


@pytest.mark.parametrize("method", ["eagle2", "diffuspec"])
def test_loaded_drafters_are_in_int8_and_the_text_stays(method, tmp_path):
    target = tiny_model()
    exact = tiny_head(target)
    exact.save(tmp_path)
    tiny_block(exact).drafter.save(tmp_path)
    head = load_head(target, tmp_path)
    assert head is not None and head.is_rough and head.describe()["dtype"] == "int8"
    assert head.embedding.data_ptr() == target.embedding.data_ptr()
    models = Models(target, head, load_diffusion(target, head, tmp_path))
    texts = [
        complete(Request(find_method(name).configure({"max_new_tokens": 24, "budget": "own"}), (5, 6, 7, 8)), models)
        for name in ("vanilla", method)
    ]
    assert texts[0].output_ids == texts[1].output_ids
    assert any(len(step.trees.final) > 1 for step in texts[1].steps)


def test_no_rows_give_no_rows():
    assert RoughLinear(nn.Linear(64, 96))(torch.randn(0, 64)).shape == (0, 96)

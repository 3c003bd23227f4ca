"""How near int8 is to fp32 is counted on what fp32 writes."""

from __future__ import annotations

import math

import pytest
import torch
from tiny import StubModel, one_hot, tiny_model

from respec_core.bench.precision import compare


def test_a_model_is_itself():
    model = tiny_model()
    near = compare(model, model, [3, 1, 4], 12)
    assert near.divergence < 1e-8
    assert near.same == 1


def test_divergence_and_first_choice_are_means_over_the_places_of_the_answer():
    exact = StubModel(lambda ids: [0.0, math.log(3.0)])
    exact.vocab_size = 2
    turned = StubModel(lambda ids: [0.0, math.log(3.0)] if len(ids) % 2 else [math.log(3.0), 0.0])
    near = compare(exact, turned, [0], 8)
    assert near.same == pytest.approx(0.5)
    assert near.divergence == pytest.approx(0.5 * (0.75 * math.log(3) - 0.25 * math.log(3)))


def test_the_answer_ends_where_the_model_ends_it():
    asked = []

    def script(ids):
        asked.append(tuple(ids))
        return one_hot(len(ids))

    exact = StubModel(script, eos_ids=frozenset([4]))
    compare(exact, StubModel(lambda ids: torch.ones(16)), [1, 1], 12)
    assert max(map(len, asked)) == 4

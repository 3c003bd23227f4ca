"""Entropy, rank and probability against a direct reading in double precision."""

from __future__ import annotations

import pytest
import torch

from respec_core.engine.probabilities import opinions


@pytest.mark.parametrize("scale", [0.01, 1.0, 8.0])
def test_opinions_are_the_softmax(scale):
    torch.manual_seed(0)
    logits = torch.randn(5, 300) * scale
    p = logits.double().softmax(-1)
    seen = opinions(logits)
    assert seen.entropy == pytest.approx((-(p * p.clamp(min=1e-300).log()).sum(-1)).tolist(), abs=1e-4)
    for row in range(5):
        order = p[row].argsort(descending=True).tolist()
        for rank in (1, 3, 5, 6, 100):
            ((found, place),) = seen.of(row, [order[rank - 1]])
            assert (found, place) == (pytest.approx(float(p[row, order[rank - 1]]), abs=1e-6), rank)


def test_forbidden_tokens_count_as_nothing():
    logits = torch.tensor([[0.0, 0.0, -torch.inf]])
    assert opinions(logits).entropy[0] == pytest.approx(0.6931, abs=1e-4)

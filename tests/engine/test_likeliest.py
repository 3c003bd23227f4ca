"""The highest scores of long rows, as torch finds them."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from respec_core.engine.likeliest import BLOCK, LEAST, highest, likeliest

WIDTHS = [7, BLOCK * (LEAST - 1), BLOCK * LEAST, BLOCK * LEAST + 1, BLOCK * 100]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("k", [1, 5])
def test_they_are_torchs(n, width, k):
    scores = torch.randn(n, width, generator=torch.Generator().manual_seed(width + n + k))
    values, places = likeliest(scores, k)
    assert torch.equal(values, scores.topk(k).values)
    assert torch.equal(places, scores.topk(k).indices)
    best, place = highest(scores)
    assert torch.equal(best, scores.max(-1).values)
    assert torch.equal(place, scores.max(-1).indices)


@given(st.lists(st.integers(0, BLOCK * LEAST - 1), min_size=1, max_size=20), st.integers(1, 8))
def test_of_equal_ones_the_first_is_the_highest_and_every_one_named_is_another(peaks, k):
    scores = torch.zeros(1, BLOCK * LEAST)
    scores[0, peaks] = 1.0
    assert int(highest(scores)[1]) == min(peaks)
    values, places = likeliest(scores, k)
    assert len(set(places[0].tolist())) == k
    assert torch.equal(scores[0, places[0]], values[0])
    assert torch.equal(values, scores.topk(k).values)


def test_what_must_not_be_chosen_and_what_is_no_number_are_seen():
    scores = torch.full((2, BLOCK * LEAST), -torch.inf)
    scores[0, 4000] = -3.0
    scores[1, 77] = torch.nan
    best, place = highest(scores)
    assert (float(best[0]), int(place[0])) == (-3.0, 4000)
    assert torch.isnan(best[1])
    assert int(place[1]) == 77
    assert int(likeliest(scores, 5)[1][0, 0]) == 4000


def test_a_view_of_longer_rows_is_read_in_place():
    long = torch.randn(3, 2 * BLOCK * LEAST, generator=torch.Generator().manual_seed(1))
    part = long[:, : BLOCK * LEAST]
    assert torch.equal(highest(part)[1], part.max(-1).indices)
    assert torch.equal(likeliest(part, 4)[1], part.topk(4).indices)

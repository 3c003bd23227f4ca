"""Room in a cache: what is held stays, what is added is zero."""

from __future__ import annotations

import pytest
import torch

from respec_core.models.cache_rows import with_room


@pytest.mark.parametrize(("rows", "held"), [(3, 4), (4, 4), (5, 6), (6, 6), (9, 9)])
def test_rows_held_after_asking_for_some(rows, held):
    cache = torch.randn(2, 4, 3)
    grown = with_room(cache, rows)
    assert grown.shape == (2, held, 3)
    assert torch.equal(grown[:, :4], cache)
    assert not grown[:, 4:].any()


def test_a_cache_with_room_is_not_copied():
    cache = torch.randn(2, 4, 3)
    assert with_room(cache, 4) is cache

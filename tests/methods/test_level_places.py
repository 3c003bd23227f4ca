"""A head's levels padded to few sizes over rows that stay where they are give what the growing cache gives."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_steps import recorded
from tiny import DEVICE, VOCAB, tiny_head, tiny_model

from respec_core.methods.eagle.loading import level_places
from respec_core.methods.eagle.placed_session import PlacedEagleSession
from respec_core.methods.eagle.rows import MAX_DRAFT_ROWS
from respec_core.methods.eagle.session import EagleSession
from respec_core.models.lean.capturing import Capturing
from respec_core.models.lean.launching import called

TARGET = tiny_model(seed=1)
HEAD = tiny_head(TARGET)
LAUNCHES = {"called": called, "recorded": recorded}
if DEVICE.startswith("cuda"):
    LAUNCHES["captured"] = Capturing(torch.device(DEVICE))


def both(launch=recorded, length: int = 12, target=TARGET) -> tuple[PlacedEagleSession, EagleSession]:
    """A session in a place, and one over rows that grow, both behind ``length`` committed rows."""
    placed = PlacedEagleSession(HEAD, level_places(target, HEAD, lambda: launch), 20)
    growing = EagleSession(HEAD, 20)
    torch.manual_seed(0)
    features = torch.randn(length, 2 * HEAD.config.hidden_size, device=DEVICE)
    for session in (placed, growing):
        session.extend(features, [(7 * i) % VOCAB for i in range(length)])
    return placed, growing


def assert_near(ours, true) -> None:
    torch.testing.assert_close(ours[0], true[0], rtol=1e-4, atol=1e-5)
    assert torch.equal(ours[1], true[1])


@pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES.keys())
def test_levels_rewinds_and_what_is_committed_between(launch):
    placed, growing = both(launch)
    for _ in range(2):
        for parents, tokens in (([-1] * 4, [3, 4, 5, 6]), ([0, 0, 2], [7, 8, 9]), ([4, 6, 5, 5, 1], [1, 2, 3, 4, 5])):
            assert_near(placed.grow(parents, tokens, 6), growing.grow(parents, tokens, 6))
        feature = torch.ones(2, 2 * HEAD.config.hidden_size, device=DEVICE)
        for session in (placed, growing):
            session.extend(feature, [8, 9])
        torch.testing.assert_close(placed.state, growing.state, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [4, 8])
def test_equal_shapes_are_equal_to_the_bit(size):
    placed, growing = both(called)
    rest = placed.rows.capacity - placed.length - size
    more = torch.randn(rest, 2 * HEAD.config.hidden_size, device=DEVICE)
    for session in (placed, growing):
        session.extend(more, [i % VOCAB for i in range(rest)])
    ours, true = (session.grow([-1] * size, range(size), 6) for session in (placed, growing))
    assert torch.equal(ours[0], true[0])
    assert torch.equal(ours[1], true[1])
    assert torch.equal(placed.rows.states[:size], growing.rows.states[:size])


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=40), min_size=1, max_size=8), st.integers(13, 230))
def test_any_levels_and_growth(levels, held):
    """Up to and beyond what the place takes: sizes, drafted rows, its own."""
    placed, growing = both()
    placed.rows.keys, placed.rows.values = (t[:, :held].clone() for t in (placed.rows.keys, placed.rows.values))
    for level in levels:
        drafted = placed.drafted
        if drafted + len(level) > MAX_DRAFT_ROWS:
            break
        parents = [row % (drafted + 1) - 1 for row in level]
        tokens = [row % VOCAB for row in level]
        torch.testing.assert_close(
            placed.grow(parents, tokens, 5)[0], growing.grow(parents, tokens, 5)[0], rtol=1e-4, atol=1e-5
        )
    assert placed.drafted == growing.drafted


def test_a_size_that_fails_is_grown_as_in_any_session_and_it_is_said_once():
    def fails(step):
        raise RuntimeError("the driver says no")

    target = tiny_model(seed=2)
    placed, growing = both(fails, target=target)
    for parents in ([-1, -1], [0], [1, 1, 0, 0, 0]):
        ours, true = (session.grow(parents, range(len(parents)), 4) for session in (placed, growing))
        assert torch.equal(ours[0], true[0])
    assert target.note == "of the head's levels, blocks of 4 run without CUDA graphs: the driver says no"

"""Blocks padded to few sizes over a cache that stays where it is give what the growing cache gives."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import trees
from recorded_steps import recorded
from test_lean_forward import LAYERS, ROPES, TREE, random_model
from tiny import DEVICE, FAMILIES, VOCAB, tiny_model

from respec_core.engine.tree import DraftTree
from respec_core.models.graphs import places_of
from respec_core.models.language_model import LanguageModel
from respec_core.models.lean.capturing import Capturing
from respec_core.models.lean.launching import called
from respec_core.models.lean.place import LARGEST, SIZES
from respec_core.models.lean.placed_session import PlacedSession
from respec_core.models.lean.places import SMALLEST
from respec_core.models.lean.session import LeanSession

IDS = [(7 * i) % VOCAB for i in range(SMALLEST)]
MODEL = tiny_model()


LAUNCHES = {"called": called, "recorded": recorded}
if DEVICE.startswith("cuda"):
    LAUNCHES["captured"] = Capturing(torch.device(DEVICE))


def both(model: LanguageModel, launch=recorded, capacity: int = 64) -> tuple[PlacedSession, LeanSession]:
    """A session in a place, and one over a cache that grows."""
    assert model.lean is not None
    growing = LeanSession(model, model.lean, model.lean.cache(capacity), LAYERS)
    return PlacedSession(model, places_of(model, lambda: launch), capacity, LAYERS), growing


def prefill(ids, *sessions) -> None:
    for session in sessions:
        for _ in session.prefill(ids):
            pass


def assert_near(ours, true) -> None:
    torch.testing.assert_close(ours.logits, true.logits, rtol=1e-4, atol=1e-4)
    assert torch.equal(ours.logits.argmax(-1), true.logits.argmax(-1))
    assert list(ours.hidden) == list(true.hidden) == list(LAYERS)
    for layer in LAYERS:
        torch.testing.assert_close(ours.hidden[layer], true.hidden[layer], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES.keys())
@pytest.mark.parametrize("family", FAMILIES)
def test_chains_trees_and_what_is_kept_of_them(family, launch):
    placed, growing = both(random_model(family), launch)
    prefill(IDS[:20], placed, growing)
    for tree, kept in (
        (DraftTree.root(5), [0]),
        (TREE, [0, 3, 4]),
        (DraftTree.chain(1, IDS[:9], "x"), [0, 1]),
        (TREE, [0]),
    ):
        assert_near(placed.forward(tree), growing.forward(tree))
        placed.keep(kept)
        growing.keep(kept)
    assert placed.length == growing.length == 27


@pytest.mark.parametrize("kind", ROPES)
def test_every_rotary_kind_in_a_place(kind):
    placed, growing = both(random_model(rope_parameters={"rope_theta": 1e4, **ROPES[kind]}))
    prefill(IDS[:30], placed, growing)
    assert_near(placed.forward(TREE), growing.forward(TREE))


@pytest.mark.parametrize("size", SIZES)
def test_equal_shapes_are_equal_to_the_bit(size):
    placed, growing = both(MODEL, called, SMALLEST)
    prefill(IDS[: SMALLEST - size], placed, growing)
    tree = DraftTree.chain(2, IDS[: size - 1], "x")
    ours, true = placed.forward(tree), growing.forward(tree)
    assert torch.equal(ours.logits, true.logits)
    assert all(torch.equal(ours.hidden[layer], true.hidden[layer]) for layer in LAYERS)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(trees(), st.integers(0, 14), st.integers(0, 6)), min_size=1, max_size=6))
def test_any_trees_rewinds_and_growth(rounds):
    """A capacity that is never enough: rows written beyond it make place and graphs anew."""
    placed, growing = both(MODEL)
    placed.place.cache.rows = placed.place.cache.rows[:, :, :24].clone()
    prefill(IDS[:10], placed, growing)
    for tree, node, back in rounds:
        assert_near(placed.forward(tree), growing.forward(tree))
        path = [0, *tree.path(node % len(tree))]
        for session in (placed, growing):
            session.keep(path)
            session.cache.crop(-back)
        assert placed.length == growing.length


def test_longer_runs_grow_and_launch_anew():
    placed, growing = both(MODEL)
    prefill(IDS[:-2], placed, growing)
    before = placed.place.cache.rows
    for _ in range(3):
        assert_near(placed.forward(TREE), growing.forward(TREE))
        placed.keep([0, 3])
        growing.keep([0, 3])
    assert placed.place.cache.rows is not before
    assert placed.place.cache.capacity > SMALLEST


def test_more_nodes_than_the_largest_size_run_over_the_same_cache():
    placed, growing = both(MODEL, capacity=400)
    prefill(IDS[:40], placed, growing)
    for tokens in (IDS[:LARGEST], IDS[: LARGEST - 1], IDS[:2]):
        tree = DraftTree.chain(3, tokens, "x")
        assert_near(placed.forward(tree), growing.forward(tree))
        placed.keep(range(len(tree)))
        growing.keep(range(len(tree)))


def test_committed_rows_that_only_some_see():
    """As a drafting model feeds its frontier: earlier levels are committed, but each node sees its ancestors alone."""
    placed, growing = both(MODEL)
    prefill(IDS[:12], placed, growing)
    for visible in ([[1, 0], [0, 1]], [[1, 0, 1, 0], [0, 1, 0, 1]], [[1, 0, 0, 0, 1]]):
        seen = np.array(visible, dtype=bool)
        nodes = IDS[: len(seen)], [12 + seen.shape[1]] * len(seen), seen
        assert_near(placed.forward_nodes(*nodes), growing.forward_nodes(*nodes))
        placed.keep(range(len(seen)))
        growing.keep(range(len(seen)))


def test_a_step_is_made_once_for_a_size_and_its_result_is_nobodys():
    made = []

    def counting(step):
        made.append(step)
        return recorded(step)

    placed, _ = both(MODEL, counting)
    prefill(IDS[:10], placed)
    first = placed.forward(DraftTree.chain(1, [2, 3], "x"))
    logits, hidden = first.logits.clone(), first.hidden[-1].clone()
    for tokens in ([4], [5, 6], [7, 8, 9]):
        placed.forward(DraftTree.chain(11, tokens, "x"))
    assert len(made) == 1
    assert torch.equal(first.logits, logits)
    assert torch.equal(first.hidden[-1], hidden)


def test_places_are_lent_to_one_session_each_and_again():
    places = places_of(MODEL, lambda: recorded)
    first, second = (PlacedSession(MODEL, places, 40) for _ in range(2))
    used = {id(first.place), id(second.place)}
    assert len(used) == 2
    prefill(IDS[:30], first)
    first.forward(TREE)
    kept = first.place
    del first
    gc.collect()
    third = PlacedSession(MODEL, places, 100)
    assert third.place is kept
    assert third.length == 0
    assert not bool(kept.cache.rows.any())
    fresh = MODEL.session(100)
    prefill(IDS[5:15], third, fresh)
    torch.testing.assert_close(third.forward(TREE).logits, fresh.forward(TREE).logits, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("fails", ["capture", "replay"])
def test_a_size_that_fails_runs_as_in_any_session_and_it_is_said_once(fails, caplog):
    model, tried = tiny_model(seed=3), []

    def launch(step):
        def replay():
            if len(step.args[2].visible) == 4:
                raise RuntimeError("the driver says no\nmore")
            return whole()

        tried.append(step)
        if fails == "capture" and len(step.args[2].visible) == 4:
            raise RuntimeError("the driver says no\nmore")
        whole = recorded(step)
        return replay

    places = places_of(model, lambda: launch)
    assert model.lean is not None
    growing = LeanSession(model, model.lean, model.lean.cache(64), LAYERS)
    placed, later = (PlacedSession(model, places, 64, LAYERS) for _ in range(2))
    prefill(IDS[:20], placed, growing, later)
    for tokens in ([4], [5, 6], [7], [8, 9], [3] * 9):
        tree = DraftTree.chain(11, tokens[1:], "x")
        assert_near(placed.forward(tree), growing.forward(tree))
        later.forward(tree)
        for session in (placed, growing, later):
            session.keep([0])
    assert [len(step.args[2].visible) for step in tried].count(4) == 1
    assert model.note == "blocks of 4 run without CUDA graphs: the driver says no"
    assert [record.message for record in caplog.records] == [f"{model.name}: {model.note}"]


def test_a_place_may_come_back_while_one_is_lent():
    """As when the garbage collector ends a session in the middle of opening another."""
    places = places_of(MODEL, lambda: recorded)
    place, made = places.lend(10), places._make
    places._make = lambda rows: (places.give_back(place), made(rows))[1]
    with places._one_at_a_time:
        places.give_back(place)
    assert places.lend(10) is place
    assert places.lend(10) is not place
    assert places.lend(10) is place


def test_a_longer_run_gets_a_larger_place_in_the_stead_of_a_free_one():
    places = places_of(MODEL, lambda: recorded)
    small = places.lend(10)
    places.give_back(small)
    large = places.lend(SMALLEST + 1)
    assert large.cache.capacity == 2 * SMALLEST
    places.give_back(large)
    assert places.lend(5) is large

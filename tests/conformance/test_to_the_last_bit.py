"""Every method in int8: the logits that decide are those of plain decoding to the last bit, not only their first choice."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch
from tiny import SHORTENED, VOCAB, id_store, tiny_block, tiny_head, tiny_model
from watched import Watched

from respec_core.engine.decoding import Request
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete

REPETITIVE, RANDOM = (5, 6, 7, 8, 9, 10, 11) * 4, tuple(np.random.default_rng(7).integers(0, VOCAB, 40).tolist())
CASES = {
    "repetitive": (REPETITIVE, "own"),
    "repetitive, cut by the clock": (REPETITIVE, "auto"),
    "random": (RANDOM, "own"),
    "one token": ((3,), "own"),
}
TOKENS = 48


@pytest.fixture(scope="module")
def watched():
    store = id_store(list(range(5, 60)), [5, 6, 7, 8, 9, 10, 11, 40] * 4)
    target = Watched(tiny_model(seed=1))
    head = tiny_head(target)
    return Models(target, DraftModel(tiny_model(seed=1)), store, head, tiny_block(head))


@cache
def plain(models, prompt) -> tuple[tuple[int, ...], torch.Tensor, int]:
    return decided(models, "vanilla", prompt, "own")


def decided(models, method: str, prompt, budget: str) -> tuple[tuple[int, ...], torch.Tensor, int]:
    """What a run wrote, the logits ``[tokens, vocab]`` that decided it, and how many drafted tokens were accepted."""
    values = SHORTENED.get(method, {}) | {"max_new_tokens": TOKENS, "rule": "strict", "budget": budget}
    run = complete(Request(find_method(method).configure(values), prompt), models)
    return run.output_ids, torch.cat(models.target.kept), sum(step.commit.n_accepted for step in run.steps)


@pytest.mark.parametrize("method", [method.name for method in METHODS])
@pytest.mark.parametrize(("prompt", "budget"), CASES.values(), ids=CASES.keys())
def test_the_logits_that_decide_are_plain_decodings(method, prompt, budget, watched):
    expected_ids, expected, _ = plain(watched, prompt)
    ids, logits, _ = decided(watched, method, prompt, budget)
    assert ids == expected_ids
    assert torch.equal(logits, expected[: len(logits)])
    assert len(logits) >= len(ids)


def test_drafts_are_accepted_there(watched):
    assert decided(watched, "draft-model", RANDOM, "own")[2] > 10

"""Every method in int8: the logits that decide are those of plain decoding to the last bit, not only their first choice."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tiny import VOCAB, id_store, tiny_block, tiny_head, tiny_model
from watched import Watched

from respec_core.engine.decoding import Request
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete

PROMPTS = {
    "repetitive": tuple([5, 6, 7, 8, 9, 10, 11] * 4),
    "random": tuple(np.random.default_rng(7).integers(0, VOCAB, 40).tolist()),
    "one token": (3,),
}
TOKENS = 48


@pytest.fixture(scope="module")
def watched():
    store = id_store(list(range(5, 60)), [5, 6, 7, 8, 9, 10, 11, 40] * 4)
    target = Watched(tiny_model(seed=1))
    head = tiny_head(target)
    return Models(target, DraftModel(tiny_model(seed=1)), store, head, tiny_block(head))


def decided(models, method: str, prompt, budget: str) -> tuple[tuple[int, ...], torch.Tensor, int]:
    """What a run wrote, the logits ``[tokens, vocab]`` that decided it, and how many drafted tokens were accepted."""
    values = {"max_new_tokens": TOKENS, "rule": "strict", "budget": budget}
    run = complete(Request(find_method(method).configure(values), prompt), models)
    return run.output_ids, torch.cat(models.target.kept), sum(step.commit.n_accepted for step in run.steps)


@pytest.mark.parametrize("budget", ["auto", "own"])
@pytest.mark.parametrize("method", [method.name for method in METHODS])
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS.keys())
def test_the_logits_that_decide_are_plain_decodings(method, prompt, budget, watched):
    plain_ids, plain, _ = decided(watched, "vanilla", prompt, "own")
    ids, logits, _ = decided(watched, method, prompt, budget)
    assert ids == plain_ids
    assert torch.equal(logits, plain[: len(logits)])
    assert len(logits) >= len(ids)


def test_drafts_are_accepted_there(watched):
    assert decided(watched, "draft-model", PROMPTS["random"], "own")[2] > 10

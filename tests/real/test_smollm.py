"""The embedded model: equality, the figures that the project promises, memory."""

from __future__ import annotations

import gc
import resource

import pytest
import torch

from respec_core.decoding import Request, complete
from respec_core.invariants import violations
from respec_core.methods import METHODS, find_method
from respec_core.prompts import request_for

pytestmark = pytest.mark.model

PARAGRAPH = (
    "The old lighthouse at Carrow Point was built in 1871 from grey granite blocks that were carried across the bay "
    "on flat wooden barges. Its lamp burned whale oil for the first nine years, then paraffin, and since 1934 "
    "electricity. Three keepers lived in the tower with their families, and each night one of them climbed the "
    "hundred and forty steps to wind the clockwork that turned the lens."
)
COPY = f"Repeat this paragraph word for word, and write nothing else:\n\n{PARAGRAPH}"
STORY = "Write a short story about a fox who learns to sail."


def request(models, method: str, prompt: str, **values) -> Request:
    values = {"max_new_tokens": 96} | values
    return request_for(models.target, find_method(method).configure(values), prompt)


EMBEDDED = [m.name for m in METHODS if m.name != "draft-model"]  # the embedded model has no smaller sibling


@pytest.mark.parametrize("prompt", [COPY, STORY], ids=["copy", "story"])
@pytest.mark.parametrize("method", EMBEDDED)
def test_strict_greedy_equals_generate(smollm, prompt, method):
    run = complete(request(smollm, method, prompt, rule="strict", max_new_tokens=64), smollm)
    ids = torch.tensor([run.prompt_ids])
    truth = smollm.target.network.generate(ids, max_new_tokens=64, do_sample=False)[0, ids.shape[1] :].tolist()
    assert list(run.output_ids) == truth
    assert violations(run) == []
    decoded = smollm.target.tokenizer.decode(list(run.output_ids), skip_special_tokens=True)
    assert run.output_text == decoded


@pytest.mark.parametrize("method", ["eagle2", "diffuspec"])
def test_the_first_draft_of_a_run_can_be_right(smollm, method):
    """It stands on the template's last words, a row that training must not leave out."""
    prompts = (COPY, STORY, "What is the capital of France?")
    runs = [complete(request(smollm, method, p, budget="own", max_new_tokens=6), smollm) for p in prompts]
    assert sum(run.steps[0].commit.n_accepted > 0 for run in runs) >= 2


def test_copying_takes_few_target_passes(smollm):
    """An exact simulation of these rules, plus one or two."""
    passes = {}
    for name, values in {"pld": {}, "sam": {"len_threshold": 5}, "sam-3": {"len_threshold": 3}}.items():
        run = complete(
            request(smollm, name.removesuffix("-3"), COPY, budget="own", max_new_tokens=100, **values), smollm
        )
        passes[name] = run.summary.target_passes / len(run.output_ids) * 100
    assert passes["pld"] <= 20
    assert passes["sam"] <= 29
    assert passes["sam-3"] <= 19


def test_memory_does_not_grow_from_run_to_run(smollm):
    def high_water() -> float:
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    for _ in range(3):
        complete(request(smollm, "sam", STORY, max_new_tokens=24), smollm)
    before = high_water()
    for _ in range(20):
        complete(request(smollm, "sam", STORY, max_new_tokens=24), smollm)
    assert high_water() - before < 20


@pytest.mark.slow
def test_a_long_prompt_streams(smollm):
    from respec_core.decoding import decode
    from respec_core.events import Committed, Prefilled

    text = " ".join(f"Line {i} speaks of the harbour and the tide." for i in range(360))
    ask = request(smollm, "sam", text, max_new_tokens=2)
    assert len(ask.prompt_ids) > 4000
    kinds = [type(event) for event in decode(ask, smollm)]
    assert kinds.count(Prefilled) >= 8  # progress between chunks: a reader can stop it
    assert Committed in kinds

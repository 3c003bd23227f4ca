"""The embedded model in int8: near fp32, and its verification equal to plain decoding to the last bit."""

from __future__ import annotations

import pytest
import torch
from starts import loaded_by
from watched import Watched

from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.models.lean.self_test import exact_to_the_bit
from respec_core.models.prompts import request_for
from respec_core.models.registry import DEFAULT_TARGET

pytestmark = pytest.mark.model

TOWER = (
    "The old lighthouse at Carrow Point was built in 1871 from grey granite blocks that were carried across the bay "
    "on flat wooden barges. Its lamp burned whale oil for the first nine years, then paraffin."
)
PROMPTS = {
    "copy": f"Repeat this paragraph word for word, and write nothing else:\n\n{TOWER}",
    "story": "Write a short story about a fox who learns to sail.",
}


@pytest.fixture(scope="module")
def quantised(smollm):
    return Models(Watched(smollm.target), *smollm.others)


def test_this_machine_is_exact(quantised):
    assert exact_to_the_bit(quantised.target.lean, quantised.target.vocab_size)


@pytest.mark.parametrize("method", ["eagle2", "diffuspec"])
def test_a_start_loads_no_network_code_of_transformers(quantised, method):
    loaded_by(DEFAULT_TARGET, "pld")  # makes the int8 form where there is none yet
    assert loaded_by(DEFAULT_TARGET, method) == []


@pytest.mark.parametrize("method", ["pld", "eagle2", "diffuspec", "respec-strict"])
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS.keys())
def test_the_logits_that_decide_are_plain_decodings(quantised, prompt, method):
    runs = []
    for name in ("vanilla", method):
        config = find_method(name).configure({"max_new_tokens": 64, "rule": "strict", "budget": "own"})
        run = complete(request_for(quantised.target, config, prompt), quantised)
        runs.append((run, torch.cat(quantised.target.kept)))
    (plain, truth), (run, logits) = runs
    n = len(plain.output_ids)  # of an end in mid-block the nodes behind it are committed too
    assert run.output_ids == plain.output_ids
    assert torch.equal(logits[:n], truth[:n])


def test_drafts_are_accepted_there(quantised):
    config = find_method("pld").configure({"max_new_tokens": 64, "rule": "strict", "budget": "own"})
    run = complete(request_for(quantised.target, config, PROMPTS["copy"]), quantised)
    assert run.summary.target_passes <= len(run.output_ids) / 4

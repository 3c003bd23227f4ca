"""DiffuSpec's trace: searched again without a model, and that every invariant of it can fail."""

from __future__ import annotations

import json

import pytest
from tiny import StubModel, count_up, counting_diffusion, tiny_block, tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.record import Lattice
from respec_core.methods.diffuspec.search_again import proxy_behind, search_again
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import parse_trace, violations

PROMPT = (3, 1, 4, 1, 5, 9, 2, 6)
STUB = Models(StubModel(count_up), counting_diffusion())


def run(models: Models, method: str = "diffuspec", prompt=PROMPT, **values):
    values = {"budget": "own", "max_new_tokens": 24} | values
    return complete(Request(find_method(method).configure(values), prompt), models)


def again(done, step, **wish):
    text = done.prompt_ids + done.output_ids
    prefix, written = text[: step.ctx_len], text[step.ctx_len :]
    params = done.config["params"]
    proxy = proxy_behind(prefix, params["proxy"], params["ngram"], done.models["target"]["vocab_size"])
    return search_again(step.record(Lattice), proxy, prefix, written, **wish)


@pytest.mark.parametrize("proxy", ["ngram", "none"])
def test_a_recorded_lattice_is_searched_again_exactly(proxy):
    target = tiny_model(seed=1)
    head = tiny_head(target)
    models = Models(target, head, tiny_block(head))
    own = {"lambda_dlm": 0.4, "tau": 0.7, "beam": 4}
    done = parse_trace(run(models, shape="chain", proxy=proxy, **own).to_json())
    for step in done.steps:
        if step.record(Lattice) is None:
            continue
        same = again(done, step, **own)
        assert same.lattice.positions == step.record(Lattice).positions
        assert [beam.tokens for beam in same.lattice.beams] == [beam.tokens for beam in step.record(Lattice).beams]
        scores = [beam.score for beam in step.record(Lattice).beams]
        assert [beam.score for beam in same.lattice.beams] == pytest.approx(scores)
        assert same.accepted == step.commit.n_accepted
        greedy = again(done, step, lambda_dlm=1.0, tau=0.01, beam=1).lattice
        assert greedy.beams[0].tokens == step.record(Lattice).top1_path
        assert [p.M_i for p in greedy.positions] == [1] * greedy.k


def test_a_proxy_of_logits_cannot_be_had_again():
    logits = run(STUB, proxy="recycling")
    with pytest.raises(ReSpecError, match="does not hold"):
        again(logits, logits.steps[0], lambda_dlm=0.5, tau=0.8, beam=3)


def test_what_the_target_would_have_taken_is_known_up_to_the_end_of_the_output():
    done = run(STUB, shape="chain", max_new_tokens=4)
    assert again(done, done.steps[0], lambda_dlm=0.5, tau=0.8, beam=3).known
    cut = done.model_copy(update={"output_ids": done.output_ids[:2]})
    ended = again(cut, done.steps[0], lambda_dlm=0.5, tau=0.8, beam=3)
    assert (ended.accepted, ended.known) == (2, False)


@pytest.fixture(scope="module")
def sound():
    return run(STUB, shape="chain", k_min=2, k_max=6, tau=0.9999, max_new_tokens=30)


def set_at(path: str, value):
    def apply(data) -> None:
        *parents, last = path.split(".")
        for key in parents:
            data = data[int(key)] if key.isdigit() else data[key]
        data[int(last) if last.isdigit() else last] = value

    return apply


@pytest.mark.parametrize(
    ("broken", "group", "says"),
    [
        (set_at("steps.0.lattice.k", 9), "lattice", "number of positions"),
        (set_at("steps.0.lattice.positions.0.M_i", 1), "lattice", "mass_at_cut"),
        (set_at("steps.0.lattice.tau", 0.1), "lattice", "smallest that reaches"),
        (set_at("steps.0.lattice.positions.0.cand.0.logp_dlm", -50.0), "lattice", "not in order"),
        (set_at("steps.0.lattice.positions.0.cand.0.kept", False), "lattice", "kept are not"),
        (set_at("steps.0.lattice.beams.0.tokens.0", 99), "lattice", "leaves the kept"),
        (set_at("steps.0.lattice.beams.0.alive", False), "lattice", "does not stop"),
        (set_at("steps.0.lattice.beams.0.dlm_sum", -9.0), "lattice", "dlm_sum"),
        (set_at("steps.0.lattice.beams.0.ngram_sum", -99.0), "lattice", "score is not"),
        (set_at("steps.0.lattice.chosen", 1), "lattice", "not the best"),
        (set_at("steps.0.lattice.top1_path.0", 1), "lattice", "top1_path"),
        (set_at("steps.0.adl.k_t", 99), "adl", "outside"),
        (set_at("steps.1.adl.k_t", 2), "adl", "not what the round before"),
        (set_at("steps.0.adl.L_gen", 1), "adl", "L_gen"),
        (set_at("steps.0.adl.L_acc", 1), "adl", "L_acc"),
        (set_at("steps.1.adl.ema_gen", 0.5), "adl", "averages"),
        (set_at("steps.0.adl.grew", False), "adl", "grew"),
        (set_at("steps.0.adl.k_next", 3), "adl", "k_next"),
    ],
)
def test_every_invariant_of_the_lattice_and_the_length_can_fail(sound, broken, group, says):
    assert violations(sound) == []
    data = json.loads(sound.to_json())
    broken(data)
    assert any(p.startswith(group) and says in p for p in violations(parse_trace(data)))

"""Reports of vLLM and AIPerf: the same steps whichever way they are told, conventions side by side, untrusted input."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.lab.imported import served_answer
from respec_core.cli import main
from respec_core.errors import ReSpecError
from respec_core.lab.served import served

# vLLM's own example of its documentation of the field
SUMMARY = {
    "mean_acceptance_length": 1.2325581395348837,
    "draft_acceptance_rate": 0.07751937984496124,
    "acceptance_histogram": [39, 1, 0, 3],
    "num_spec_steps": 43,
    "num_accepted_draft_tokens": 10,
    "num_draft_tokens": 129,
    "num_spec_tokens": 3,
}


def vllm(told: dict) -> str:
    return json.dumps({"choices": [], "metrics": {"speculative_decoding": told}})


def aiperf(told: dict) -> str:
    histogram = {str(j): n for j, n in enumerate(told["acceptance_histogram"]) if n}
    return json.dumps(
        {"metadata": {}, "metrics": {}, "spec_decode_acceptance": {**told, "acceptance_histogram": histogram}}
    )


def test_both_tell_the_same_and_the_means_are_reconciled():
    ours, theirs = served(vllm(SUMMARY)), served(aiperf(SUMMARY))
    assert ours.steps == theirs.steps == {(3, 0): 39, (3, 1): 1, (3, 3): 3}
    assert ours.mean + 1 == pytest.approx(SUMMARY["mean_acceptance_length"])
    assert ours.accepted / ours.drafted == pytest.approx(SUMMARY["draft_acceptance_rate"])
    first, second, third = ours.positions()
    assert (first.drafted, first.judged, first.accepted) == (43, 43, 4)
    assert (second.judged, second.accepted, second.conditional) == (4, 3, 0.75)
    assert (third.judged, third.accepted, third.unconditional) == (3, 3, 3 / 43)


steps = st.lists(st.integers(0, 6).flatmap(lambda k: st.tuples(st.just(k), st.integers(0, k))), min_size=1, max_size=40)


@given(steps)
def test_steps_one_by_one_and_by_length_are_the_same(found):
    drafted, accepted = zip(*found, strict=True)
    sums = {
        "num_spec_steps": len(found),
        "num_draft_tokens": sum(drafted),
        "num_accepted_draft_tokens": sum(accepted),
    }
    by_length = {str(k): [found.count((k, a)) for a in range(k + 1)] for k in set(drafted)}
    one = served(vllm({**sums, "per_step_drafted": drafted, "per_step_accepted": accepted}))
    other = served(vllm({**sums, "acceptance_histogram_by_draft_length": by_length}))
    assert one.steps == other.steps
    assert one.lengths_known
    for place in one.positions():
        assert place.drafted == sum(k >= place.depth for k in drafted)
        assert place.accepted == sum(a >= place.depth for a in accepted)
        assert place.accepted <= place.judged <= place.drafted


def test_where_lengths_are_not_told_that_is_said():
    told = {**SUMMARY, "num_draft_tokens": 100}
    found = served(vllm(told))
    assert not found.lengths_known
    assert "lower bounds" in json.loads(served_answer(vllm(told)))["sentence"]
    assert "lower bounds" not in json.loads(served_answer(vllm(SUMMARY)))["sentence"]


def test_requests_without_a_step_are_counted_apart():
    none = {**SUMMARY, "acceptance_histogram": [], "num_spec_steps": 0, "num_accepted_draft_tokens": 0}
    found = served("\n".join([vllm(SUMMARY), vllm(none), json.dumps({"choices": []}), aiperf(SUMMARY)]))
    assert (found.requests, found.without, sum(found.steps.values())) == (2, 2, 86)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "reports no speculative decoding"),
        ("{}", "reports no speculative decoding"),
        ("nonsense", "is not JSON"),
        ("[" * 99999, "nested too deeply"),
        (vllm({**SUMMARY, "num_spec_steps": 44}), "contradicts itself: it counts 43 steps"),
        (vllm({**SUMMARY, "num_accepted_draft_tokens": 11}), "its steps accept 10"),
        (vllm({**SUMMARY, "acceptance_histogram": [-1]}), "malformed at"),
        (vllm({**SUMMARY, "num_draft_tokens": 10**12}), "malformed at num_draft_tokens"),
        (vllm({**SUMMARY, "per_step_drafted": [1], "per_step_accepted": [1, 2]}), "differ in length"),
        (
            vllm({**SUMMARY, "per_step_drafted": [1] * 43, "per_step_accepted": [2] * 43}),
            "accepted more than it drafted",
        ),
        (vllm(SUMMARY) + "\n" + vllm({"num_spec_steps": "x"}), "line 2 is malformed"),
    ],
)
def test_what_is_no_report_is_refused_in_a_sentence(text, says):
    with pytest.raises(ReSpecError, match=says):
        served(text)
    assert says in json.loads(served_answer(text))["error"]


def test_the_command_prints_means_and_positions(tmp_path, capsys):
    path = tmp_path / "profile_export.jsonl"
    path.write_text(aiperf(SUMMARY))
    assert main(["served", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "with the target's own token 1.233" in printed and "0.750" in printed
    assert main(["served", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean_with_bonus"] == pytest.approx(1.2325581395)
    assert main(["served", str(tmp_path / "none")]) == 2

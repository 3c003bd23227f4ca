"""The trace: round trip, refusals, and that every invariant can fail."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tiny import StubModel, one_hot

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.methods.traces import parse_trace, read_trace, violations
from respec_core.trace.files import MAX_TRACE_BYTES
from respec_core.trace.round import Hit
from respec_core.trace.schema import Run


def counting(ids) -> list[float]:
    """Wants the next number, modulo 7."""
    return one_hot((ids[-1] + 1) % 7)


@pytest.fixture(scope="module")
def run() -> Run:
    config = find_method("sam").configure({"budget": "own", "max_new_tokens": 20, "len_threshold": 2})
    return complete(Request(config, (0, 1, 2, 3, 4, 5, 6, 0, 1, 2)), Models(StubModel(counting)))


def test_a_real_run_is_sound_and_survives_json(run):
    assert violations(run) == []
    again = parse_trace(run.to_json())
    assert again == run
    assert violations(again) == []
    assert any(step.commit.n_accepted > 1 for step in run.steps)


def change(path: str, value: object) -> Callable[[dict], None]:
    def apply(data: dict) -> None:
        *parents, last = path.split(".")
        for key in parents:
            data = data[int(key)] if key.isdigit() else data[key]  # type: ignore[index]
        data[int(last) if last.isdigit() else last] = value  # type: ignore[index]

    return apply


@pytest.mark.parametrize(
    ("broken", "group"),
    [
        (change("output_ids", [1, 2]), "output"),
        (change("output_text", "other"), "output"),
        (change("tokens.0.round", 1), "output"),
        (change("steps.0.i", 5), "output"),
        (change("steps.0.commit.n_strict", 99), "commit"),
        (change("steps.0.commit.extra", None), "commit"),
        (change("steps.0.commit.stopped", "eos"), "commit"),
        (change("steps.0.ctx_len", 1), "commit"),
        (change("steps.0.trees.final.1.outcome", "rejected"), "tree"),
        (change("steps.0.trees.final.1.kept", False), "tree"),
        (change("steps.0.decision.budget", 1), "tree"),
        (change("steps.0.commit.n_relaxed", 1), "lossless"),
        (change("reference_ar", {"output_ids": [1], "wall_s": 1.0}), "lossless"),
        (change("summary.mat", 9.0), "summary"),
        (change("summary.tokens", 9), "summary"),
        (change("summary.wall_s", 0.0), "summary"),
        (change("summary", None), "summary"),
        (change("steps.0.decision.triggered", False), "routing"),
    ],
)
def test_every_invariant_can_fail(run, broken, group):
    data = json.loads(run.to_json())
    broken(data)
    assert any(problem.startswith(group) for problem in violations(parse_trace(data)))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "not a trace"),
        ('{"schema_version": 7}', "version 7"),
        ('{"schema_version": 1}', "malformed at run_id"),
        (b"\xff\xfe", "not UTF-8"),
        (" " * (MAX_TRACE_BYTES + 1), "larger than"),
    ],
    ids=["cut", "deep", "empty", "version", "fields", "bytes", "large"],
)
def test_bad_traces_are_refused_in_one_sentence(data, sentence):
    with pytest.raises(ReSpecError, match=sentence) as error:
        parse_trace(data)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ReSpecError, match=r"nothing\.json"):
        read_trace(tmp_path / "nothing.json")


def test_a_trusted_record_is_the_one_that_would_be_constructed():
    given = {
        "cont_ids": (3,),
        "id": 1,
        "corpus": "prompt",
        "end_pos": 4,
        "match_len": 2,
        "snippet": "",
        "continuation": "",
    }
    given |= {"snippet_ids": (1, 2), "why": "a match"}
    quick, usual = Hit.trusted(**given), Hit.model_construct(**given)
    assert quick == usual == Hit(**given)
    assert quick.model_dump_json() == usual.model_dump_json()
    assert quick.model_dump_json(exclude_unset=True) == usual.model_dump_json(exclude_unset=True)
    assert quick.model_copy(update={"accepted": 1}).accepted == 1 and quick.accepted == 0

"""The gallery's plan has every method and kind, its index says what the recordings say, and a recording is made in turns."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from app.examples import examples
from app.gallery import INDEX, line_of, listed, planned, recording, recordings
from app.loading import Loader
from app.making import traces
from app.making.recording import TURNS, recorded
from app.requests import build_request
from app.runs import request_of
from app.showcases import run_in_file
from respec_core.methods.registry import METHODS
from respec_core.methods.traces import violations
from respec_core.trace.speed import speed_of

MOST_BYTES = 8 * 2**20  # of all packed recordings
NAMES = list(recordings())


def test_every_method_and_every_kind_of_prompt_is_planned() -> None:
    plan = planned()
    assert {showcase.method for showcase in plan} == {method.name for method in METHODS}
    kinds = {example.id: example.kind for example in examples()}
    assert {kinds[showcase.example] for showcase in plan} == set(kinds.values())
    assert len({showcase.name for showcase in plan}) == len(plan)


@pytest.mark.parametrize("name", NAMES[:: max(1, len(NAMES) // 8)])  # a reading each, which takes its time
def test_the_index_says_what_a_recording_says(name: str) -> None:
    run = recording(name)
    assert run is not None and not violations(run)
    assert line_of(recordings()[name], run) == next(line for line in listed() if line["name"] == name)


def test_the_index_lists_what_is_there_and_it_stays_small() -> None:
    assert [line["name"] for line in json.loads(INDEX.read_text())] == NAMES
    packed = [showcase.path for showcase in recordings().values() if showcase.packed]
    assert sum(path.stat().st_size for path in packed) < MOST_BYTES
    assert {*INDEX.parent.glob("*.gz")} <= {*packed}, "nothing lies there that is not listed"


def test_runs_of_a_prompt_are_recorded_in_turn_beside_one_plain_decoding(tiny_loader: Loader) -> None:
    models = tiny_loader.models
    settings = {"max_new_tokens": 24, "ignore_eos": True}
    wanted = [build_request("one two one two one two", method, settings) for method in ("pld", "sam", "vanilla")]
    runs = recorded([(request_of(one, models), models) for one in wanted])
    assert [run.method for run in runs] == ["pld", "sam", "vanilla"]
    assert not any(violations(run) for run in runs)
    repeats = [run.reference_ar.repeats for run in runs if run.reference_ar]
    assert [len(found) for found in repeats] == [TURNS, TURNS, 0]
    assert [one.plain_s for one in repeats[0]] == [one.plain_s for one in repeats[1]], "plain decoding is shared"
    speed = speed_of(runs[0])
    assert speed is not None and speed.repeats == TURNS and speed.silent


def test_the_maker_writes_each_planned_run_once_and_packs_the_gallery(
    tiny_loader: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned()
    assert Counter(one.name for group in traces.groups(plan) for one in group) == Counter(one.name for one in plan)
    monkeypatch.setattr("app.showcases.GALLERY", tmp_path)
    group = [one for one in plan if one.packed and one.example == "question" and one.method in ("pld", "vanilla")]
    traces.record(group, tiny_loader.models)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["question-pld.json.gz", "question-vanilla.json.gz"]
    for one in group:
        run = run_in_file(one.path)
        assert run.method == one.method and not violations(run)
        assert line_of(one, run)["kind"] == "Question"

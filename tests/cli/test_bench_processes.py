"""``bench`` over several processes: the report of one, resumable, never timed on one processor."""

from __future__ import annotations

import json

import pytest
from processes import in_two_processes

from respec_core.bench.log import LOG, Log, merge
from respec_core.bench.results import Measurement
from respec_core.cli import main

ASKED = [("copy", "abcabcabc"), ("copy", "xyxyxyxy"), ("writing", "tell me"), ("math", "1+1"), ("writing", "go on")]
REPLAYED = ["--methods", "vanilla,pld,respec-strict:fallback=none", "--max-new-tokens", "12", "--replay"]


@pytest.fixture
def common(model_dir, tmp_path) -> list[str]:
    path = tmp_path / "questions.jsonl"
    lines = [json.dumps({"question_id": i, "category": c, "turns": [t]}) for i, (c, t) in enumerate(ASKED)]
    path.write_text("\n".join(lines))
    return ["bench", "--questions", str(path), "--model", model_dir, "--device", "cpu", *REPLAYED]


def test_two_processes_report_what_one_does(common, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    assert main([*common, "--out", str(one)]) == 0
    done = in_two_processes(*common, "--out", str(two))
    assert done.returncode == 0, done.stderr
    first, second = (json.loads((out / "results.json").read_text()) for out in (one, two))
    assert first["overall"] == second["overall"]
    assert first["kinds"] == second["kinds"]
    assert (one / LOG).read_text().splitlines()[1:] == (two / LOG).read_text().splitlines()[1:]
    assert not list(two.glob(".part-*"))


def test_what_processes_left_unmerged_is_gone_on_with(common, tmp_path, capsys):
    out = tmp_path / "out"
    assert main([*common, "--out", str(out)]) == 0
    settings, *lines = (out / LOG).read_text().splitlines(keepends=True)
    whole = (out / LOG).read_text()
    for rank, kept in enumerate((lines[:3], lines[6:10])):  # the second was stopped within a question
        part = out / f".part-{rank}"
        part.mkdir()
        (part / LOG).write_text(settings + "".join(kept))
    (out / LOG).unlink()
    capsys.readouterr()
    assert main([*common, "--out", str(out)]) == 2
    assert "holds an earlier run" in capsys.readouterr().err
    assert main([*common, "--out", str(out), "--resume"]) == 0
    assert capsys.readouterr().err.count("[") == 3
    assert (out / LOG).read_text() == whole


def test_nothing_is_timed_in_two_processes_of_one_processor(common, tmp_path):
    done = in_two_processes(*[word for word in common if word != "--replay"], "--out", str(tmp_path / "out"))
    assert done.returncode != 0
    assert "nothing can be timed" in done.stderr


def test_a_question_in_the_log_and_in_a_part_counts_once(tmp_path):
    log = Log(tmp_path / LOG, {"configs": [], "models": {}}, ["pld"])
    found = Measurement(
        question="1", kind="copy", method="pld", tokens=3, target_passes=2, seconds=None, plain_seconds=None,
        equal=True, relaxed_accepts=0, triggered=0, retrieved=0, hits=0,
    )  # fmt: skip
    for folder in (tmp_path, tmp_path / ".part-0"):
        folder.mkdir(exist_ok=True)
        own = log.at(folder)
        own.go_on()
        own.add([found])
    assert merge(log, ["1"]) == [found] == log.resume()

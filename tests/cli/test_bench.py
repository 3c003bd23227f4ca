"""The benchmark: questions in Spec-Bench's format, results, resuming, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from respec_core.bench.questions import read_questions
from respec_core.bench.report import markdown
from respec_core.bench.results import Measurement, table
from respec_core.cli import main
from respec_core.errors import ReSpecError


@pytest.fixture
def questions(tmp_path) -> Path:
    path = tmp_path / "questions.jsonl"
    records = [
        ("copy", "abcabcabc"),
        ("copy", "xyxyxyxy"),
        ("writing", "tell me"),
        ("math", "1+1"),
        ("writing", "go on"),
    ]
    lines = [json.dumps({"question_id": i, "category": c, "turns": [t]}) for i, (c, t) in enumerate(records)]
    path.write_text("\n".join(lines))
    return path


def bench(questions: Path, out: Path, model_dir: str, *more: str) -> int:
    common = ["bench", "--questions", str(questions), "--out", str(out), "--model", model_dir, "--max-new-tokens", "12"]
    return main([*common, "--methods", "vanilla,pld,respec-strict", *more])


def test_results_have_the_documented_shape(questions, tmp_path, model_dir, capsys):
    out = tmp_path / "out"
    assert bench(questions, out, model_dir) == 0
    results = json.loads((out / "results.json").read_text())
    assert {"kinds", "overall", "machine", "model", "dtype"} <= set(results)
    assert set(results["kinds"]) == {"copy", "mt_bench"}
    row = results["kinds"]["copy"]["pld"]
    assert {"mat", "speedup", "tok_s", "tokens", "target_passes", "equal", "questions"} <= set(row)
    assert (row["tokens"], row["questions"], row["equal"]) == (24, 2, True)
    assert results["overall"]["vanilla"]["speedup"] == 1.0
    assert results["overall"]["pld"]["mat"] == pytest.approx(60 / results["overall"]["pld"]["target_passes"])
    assert "Tokens per target pass" in (out / "report.md").read_text()


def test_an_interrupted_benchmark_goes_on_where_it_stopped(questions, tmp_path, model_dir, capsys):
    out = tmp_path / "out"
    assert bench(questions, out, model_dir) == 0
    progress = out / "measurements.jsonl"
    lines = progress.read_text().splitlines()
    progress.write_text("\n".join(lines[:-3]) + "\n")
    assert bench(questions, out, model_dir) == 2
    assert "--resume" in capsys.readouterr().err
    assert bench(questions, out, model_dir, "--resume") == 0
    again = progress.read_text().splitlines()
    assert again[:-3] == lines[:-3]
    assert len(again) == len(lines)
    assert bench(questions, out, model_dir, "--resume", "--set", "num_pred=3") == 2
    assert "other methods, settings or models" in capsys.readouterr().err


def test_a_replayed_benchmark_counts_the_same_and_claims_no_times(questions, tmp_path, model_dir, capsys):
    methods = ["--methods", "pld,sam"]
    assert bench(questions, tmp_path / "real", model_dir, *methods) == 0
    assert bench(questions, tmp_path / "replayed", model_dir, *methods, "--replay") == 0
    real, replayed = (json.loads((tmp_path / d / "results.json").read_text())["overall"] for d in ("real", "replayed"))
    for name in ("pld", "sam"):
        assert replayed[name]["mat"] == real[name]["mat"]
        assert replayed[name]["speedup"] is None
    report = (tmp_path / "replayed" / "report.md").read_text()
    assert "nothing is timed" in report
    assert "Time against" not in report
    assert bench(questions, tmp_path / "auto", model_dir, *methods, "--replay", "--set", "budget=auto") == 2
    assert "clock" in capsys.readouterr().err


@pytest.mark.parametrize("how", [[], ["--replay"]])
def test_variants_are_measured_against_their_own_baseline(questions, tmp_path, model_dir, capsys, how):
    variants = ["--methods", "vanilla:max_new_tokens=4,pld:max_new_tokens=4,pld,vanilla", "--set", "ignore_eos=true"]
    assert bench(questions, tmp_path / "out", model_dir, *variants, *how) == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert {name: (a["tokens"], a["equal"]) for name, a in results["overall"].items()} == {
        "vanilla:max_new_tokens=4": (20, True), "pld:max_new_tokens=4": (20, True), "pld": (60, True), "vanilla": (60, True),
    }  # fmt: skip
    assert results["max_new_tokens"] is None and results["temperature"] == 0
    assert "(as named) new tokens at most, temperature 0." in (tmp_path / "out" / "report.md").read_text()


def test_a_kind_that_wrote_nothing_is_a_dash_in_the_report():
    def measured(kind: str, tokens: int) -> Measurement:
        return Measurement(question=kind, kind=kind, method="pld", tokens=tokens, target_passes=2, seconds=1.0,
                           plain_seconds=2.0, equal=True, relaxed_accepts=0, triggered=0, retrieved=0, hits=0)  # fmt: skip

    results = table([measured("qa", 4), measured("rag", 0)])
    machine = {"device": "cpu", "threads": 1, "torch": "2"}
    report = markdown(
        {**results, "machine": machine, "model": "m", "dtype": "fp32", "max_new_tokens": 4, "temperature": 0}
    )
    assert "| `pld` | 2.00 | – | 2.00 |" in report


def test_limit_takes_the_mt_bench_categories_in_turn(questions):
    picked = read_questions(questions, limit=2)
    assert [q.text for q in picked] == ["abcabcabc", "xyxyxyxy", "tell me", "1+1"]


@pytest.mark.parametrize("line", ["{", "{}", '{"category": "a", "turns": []}', '{"category": 1, "turns": ["x"]}', "[]"])
def test_bad_lines_are_named(tmp_path, line):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"category": "a", "turns": ["x"]}\n' + line)
    with pytest.raises(ReSpecError, match="line 2"):
        read_questions(path)


def test_the_projects_own_questions_are_readable():
    assert len(read_questions(Path(__file__).parents[2] / "assets/bench/questions.jsonl")) >= 12

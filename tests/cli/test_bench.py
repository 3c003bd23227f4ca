"""The benchmark: questions in Spec-Bench's format, results, resuming, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from respec_core.bench.log import LOG, reserved
from respec_core.bench.questions import read_questions
from respec_core.bench.report import markdown
from respec_core.bench.results import Measurement, table
from respec_core.cli import main
from respec_core.errors import ReSpecError

ASKED = [("copy", "abcabcabc"), ("copy", "xyxyxyxy"), ("writing", "tell me"), ("math", "1+1"), ("writing", "go on")]


@pytest.fixture
def questions(tmp_path) -> Path:
    path = tmp_path / "questions.jsonl"
    lines = [json.dumps({"question_id": i, "category": c, "turns": [t]}) for i, (c, t) in enumerate(ASKED)]
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
    assert {"mat_interval", "nodes_per_pass", "speedup_with_prompt", "speedup_without_prompt"} <= set(row)
    assert row["speedup"] == row["speedup_without_prompt"] != row["speedup_with_prompt"]
    assert results["rows"]["pld"] == {"method": "pld", "preset": "auto", "changed": {}, "how": "decoded and timed"}
    report = (out / "report.md").read_text()
    assert "Tokens per target pass" in report
    assert "as Spec-Bench does" in report and "decoding alone" in report


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


@pytest.fixture(scope="module")
def measured() -> dict[str, bytes]:
    """What a benchmark of the questions leaves, by file name, once a test has measured it."""
    return {}


@pytest.fixture
def finished(questions, tmp_path, model_dir, measured, capsys) -> Path:
    """The log of a finished benchmark."""
    out = tmp_path / "out"
    if not measured:
        assert bench(questions, out, model_dir) == 0
        measured.update((path.name, path.read_bytes()) for path in out.iterdir())
        capsys.readouterr()
    out.mkdir(exist_ok=True)
    for name, content in measured.items():
        (out / name).write_bytes(content)
    return out / LOG


@pytest.mark.parametrize("missing", [1, 20, "a line", "a line and 20", "a line and its end"])
def test_what_was_cut_off_is_measured_again(questions, finished, model_dir, capsys, missing):
    """A cut line is dropped, and with it what else was measured of its question: methods are timed side by side."""
    whole = finished.read_bytes()
    lines = whole.splitlines(keepends=True)
    cut = {"a line": len(lines[-1]), "a line and 20": len(lines[-1]) + 20, "a line and its end": len(lines[-1]) + 1}
    finished.write_bytes(whole[: -cut.get(missing, missing)])
    assert bench(questions, finished.parent, model_dir, "--resume") == 0
    assert "[5/5]" in capsys.readouterr().err
    again = finished.read_bytes().splitlines(keepends=True)
    assert again[:-3] == lines[:-3]
    assert [Measurement.model_validate_json(line).method for line in again[-3:]] == ["vanilla", "pld", "respec-strict"]
    assert json.loads((finished.parent / "results.json").read_text())["overall"]["pld"]["questions"] == 5


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty, not the log of a benchmark"),
        (b"shopping list\n", "is not the log of a benchmark"),
        (b'{"a": 1}\n', "is not the log of a benchmark"),
        (b"[]\n", "is not the log of a benchmark"),
        (b"[" * 100_000, "is not the log of a benchmark"),
        (b"\xff\x00\n", "is not the log of a benchmark"),
        (b"{first}\n{}\n", "line 2 is not a measurement"),
        (b"{first}\n\xff\n", "line 2 is not a measurement"),
    ],
)
def test_another_file_in_the_logs_place_is_said_to_be_one(questions, finished, model_dir, capsys, content, sentence):
    content = content.replace(b"{first}", finished.read_bytes().splitlines()[0])
    finished.write_bytes(content)
    assert bench(questions, finished.parent, model_dir, "--resume") == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("error: ")
    assert sentence in message
    assert finished.read_bytes() == content


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--repeat", "2"], "repeat"),
        (["--replay"], "replay"),
        (["--set", "num_pred=3"], "configs"),
        (["--methods", "pld,vanilla,respec-strict"], "methods"),
        (["--max-new-tokens", "11"], "configs"),
    ],
)
def test_measurements_of_other_settings_are_not_mixed(questions, finished, model_dir, capsys, more, named):
    before = finished.read_bytes()
    assert bench(questions, finished.parent, model_dir, "--resume", *more) == 2
    error = capsys.readouterr().err
    assert "other methods, settings or models" in error
    assert named in error
    assert finished.read_bytes() == before


def test_measurements_of_other_questions_are_not_mixed(questions, finished, model_dir, capsys):
    questions.write_text(questions.read_text().replace("tell me", "tell us"))
    assert bench(questions, finished.parent, model_dir, "--resume") == 2
    assert "(questions)" in capsys.readouterr().err


def test_a_lower_limit_reports_on_its_own_questions(questions, finished, model_dir):
    before = finished.read_bytes()
    assert bench(questions, finished.parent, model_dir, "--resume", "--limit", "1") == 0
    assert json.loads((finished.parent / "results.json").read_text())["overall"]["pld"]["questions"] == 2
    assert finished.read_bytes() == before


def test_a_wrong_text_is_still_wrong_when_resumed(questions, finished, model_dir):
    finished.write_text(finished.read_text().replace('"wrong":false', '"wrong":true', 1))
    assert bench(questions, finished.parent, model_dir, "--resume") == 1


def test_a_folder_has_one_benchmark_at_a_time(questions, finished, model_dir, capsys):
    with reserved(finished.parent):
        assert bench(questions, finished.parent, model_dir, "--resume") == 2
    assert "Another process is writing" in capsys.readouterr().err
    assert bench(questions, finished.parent, model_dir, "--resume") == 0


@pytest.mark.parametrize("name", [LOG, "results.json", "report.md"])
def test_what_could_not_be_written_is_noticed_before_anything_is_measured(questions, tmp_path, model_dir, capsys, name):
    (tmp_path / "out" / name).mkdir(parents=True)
    assert bench(questions, tmp_path / "out", model_dir) == 2
    assert f"{name} cannot be written: it is a folder" in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert bench(questions, tmp_path / "file" / "out", model_dir) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "sentence"), [(" ", "empty"), ("a" * 5000, "takes fewer")])
def test_every_prompt_is_tried_before_the_first_is_run(questions, tmp_path, model_dir, capsys, text, sentence):
    with questions.open("a") as file:
        file.write("\n\n" + json.dumps({"category": "late", "turns": [text]}))
    assert bench(questions, tmp_path / "out", model_dir) == 2
    error = capsys.readouterr().err
    assert f"{questions}, line 7: " in error
    assert sentence in error
    assert "[1/" not in error
    assert not (tmp_path / "out" / LOG).exists()


def test_a_benchmark_on_known_text_counts_the_same_and_claims_no_times(questions, tmp_path, model_dir, capsys):
    methods = ["--methods", "pld,sam"]
    assert bench(questions, tmp_path / "real", model_dir, *methods, "--set", "budget=own") == 0
    capsys.readouterr()
    assert bench(questions, tmp_path / "counted", model_dir, *methods, "--replay") == 0
    assert "the methods' own unless given" in capsys.readouterr().err
    real, counted = (json.loads((tmp_path / d / "results.json").read_text())["overall"] for d in ("real", "counted"))
    for name in ("pld", "sam"):
        assert counted[name]["mat"] == real[name]["mat"]
        assert counted[name]["speedup"] is None
    report = (tmp_path / "counted" / "report.md").read_text()
    assert "nothing is timed" in report
    assert "Time against" not in report


@pytest.mark.parametrize(
    "asked",
    [
        ["--set", "budget=auto"],
        ["--preset", "auto"],
        ["--methods", "sam:budget=auto"],
        ["--methods", "sam:preset=auto"],
    ],
)
def test_counting_on_known_text_refuses_sizes_that_follow_the_clock(questions, tmp_path, model_dir, capsys, asked):
    assert bench(questions, tmp_path / "auto", model_dir, "--replay", *asked) == 2
    assert "clock" in capsys.readouterr().err


def test_what_known_text_cannot_tell_is_decoded_if_asked(questions, tmp_path, model_dir, capsys):
    methods = "pld,sam:auxiliary=recycling,respec:fallback=none:theta_entropy=12:relax_k=50:relax_eps=0:relax_max=9"
    replay = ["--methods", methods, "--replay", "--against", "pld"]
    assert bench(questions, tmp_path / "out", model_dir, *replay) == 2
    assert "learns from rejected tokens" in capsys.readouterr().err
    assert not (tmp_path / "out" / "results.json").exists()
    assert bench(questions, tmp_path / "all", model_dir, *replay, "--decode-others") == 0
    results = json.loads((tmp_path / "all" / "results.json").read_text())
    assert [row["how"] for row in results["rows"].values()] == ["counted on known text", *["decoded, untimed"] * 2]
    assert all(a["speedup"] is None for a in results["overall"].values())
    real = ["--methods", methods, "--set", "budget=own"]
    assert bench(questions, tmp_path / "real", model_dir, *real) == 0
    timed = json.loads((tmp_path / "real" / "results.json").read_text())["overall"]
    assert {name: a["mat"] for name, a in timed.items()} == {name: a["mat"] for name, a in results["overall"].items()}
    assert set(results["against"]["overall"]) == set(methods.split(",")[1:])
    report = (tmp_path / "all" / "report.md").read_text()
    assert (
        "| `sam:auxiliary=recycling` | sam | auto | `budget_rule=own`, `auxiliary=recycling` | decoded, untimed |"
        in report
    )
    assert "÷ those of `pld` on the same prompts" in report


@pytest.mark.parametrize(
    ("more", "sentence"),
    [(["--against", "rest"], "none of the rows"), (["--decode-others"], "goes with --replay")],
)
def test_what_a_report_cannot_hold_is_refused_at_once(questions, tmp_path, model_dir, capsys, more, sentence):
    assert bench(questions, tmp_path / "out", model_dir, *more) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


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
        {
            **results,
            "rows": {},
            "machine": machine,
            "model": "m",
            "dtype": "fp32",
            "max_new_tokens": 4,
            "temperature": 0,
        }
    )
    assert "| `pld` | 2.00 | – | 2.00 |" in report


def test_limit_takes_the_mt_bench_categories_in_turn(questions):
    picked = read_questions(questions, limit=2)
    assert [q.text for q in picked] == ["abcabcabc", "xyxyxyxy", "tell me", "1+1"]


def test_other_line_ends_inside_a_text_are_part_of_it(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"category": "a", "turns": ["x\u2028y\x85z"]}\r\n', newline="")
    assert [q.text for q in read_questions(tmp_path / "q.jsonl")] == ["x\u2028y\x85z"]


def test_an_id_given_twice_is_refused(tmp_path):
    record = '{"question_id": 3, "category": "a", "turns": ["x"]}\n'
    (tmp_path / "q.jsonl").write_text(record + "\n" + record)
    with pytest.raises(ReSpecError, match="line 3: the question_id is that of line 1"):
        read_questions(tmp_path / "q.jsonl")


@pytest.mark.parametrize("line", ["{", "{}", '{"category": "a", "turns": []}', '{"category": 1, "turns": ["x"]}', "[]", "[" * 100_000,
    '{"category": "a", "turns": ["x"], "n": ' + "9" * 5000 + "}", r'{"category": "a", "turns": ["\ud800"]}'])  # fmt: skip
def test_bad_lines_are_named(tmp_path, line):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"category": "a", "turns": ["x"]}\n' + line)
    with pytest.raises(ReSpecError, match="line 2"):
        read_questions(path)


def test_the_projects_own_questions_are_readable():
    assert len(read_questions(Path(__file__).parents[2] / "assets/bench/questions.jsonl")) >= 12

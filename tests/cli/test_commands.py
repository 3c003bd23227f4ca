"""The command line as a user meets it, on a tiny local model."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from respec_core.cli import main
from respec_core.methods.traces import read_trace

REPOSITORY = Path(__file__).parents[2]


def start(*arguments: str, stdout: int = subprocess.PIPE, **kwargs) -> subprocess.Popen:
    environment = {**os.environ, "RESPEC_THREADS": "1", "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-m", "respec_core", *arguments]
    return subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, stdout=stdout, stderr=subprocess.PIPE, text=True, **kwargs
    )


def test_generate_compare_check(model_dir, tmp_path, capsys):
    trace = tmp_path / "run.json"
    common = ["--model", model_dir, "--prompt", "abcabcabc", "--max-new-tokens", "12"]
    assert main(["generate", "--method", "pld", *common, "--trace", str(trace)]) == 0
    printed = capsys.readouterr()
    run = read_trace(trace)
    assert printed.out == run.output_text + "\n"
    assert "12 tokens in" in printed.err
    assert main(["check", str(trace)]) == 0
    assert main(["compare", "--methods", "vanilla,pld,sam", "--json", *common]) == 0
    capsys.readouterr()
    data = json.loads(trace.read_text())
    data["output_ids"][0] += 1
    trace.write_text(json.dumps(data))
    assert main(["check", str(trace)]) == 1
    assert "output_ids" in capsys.readouterr().out


def test_a_full_context_is_named(model_dir, capsys):
    prompt = "a" * 508  # of 512; every character is a token
    assert main(["generate", "--raw", "--model", model_dir, "--prompt", prompt, "--set", "ignore_eos=true"]) == 0
    assert "4 tokens in" in (said := capsys.readouterr().err)
    assert "ended by context (the model's is full)" in said


def test_special_tokens_in_the_prompt_are_noted(model_dir, capsys):
    run = ["generate", "--model", model_dir, "--prompt", "a<|eot|>b", "--max-new-tokens", "1"]
    assert main([*run, "--json"]) == 0
    printed = capsys.readouterr()
    trace = json.loads(printed.out)
    assert (len(trace["prompt_ids"]), trace["prompt_specials"]) == (9, ["<|eot|>"])
    assert "The text contains <|eot|>: kept as ordinary text" in printed.err
    assert main([*run, "--json", "--parse-special"]) == 0
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)["prompt_ids"]) == 3
    assert "<|eot|>: read as special tokens" in printed.err
    assert main(["compare", "--methods", "pld,sam", *run[1:], "--set", "parse_special=true"]) == 0
    printed = capsys.readouterr()
    assert "prompt: 3 tokens" in printed.out and "read as special tokens" in printed.err
    assert main(["compare", "--methods", "pld,pld:parse_special=true", *run[1:]]) == 2
    assert "which all methods share" in capsys.readouterr().err


def test_compare_json_has_the_documented_fields(model_dir, capsys):
    assert main(["compare", "--methods", "vanilla,sam", "--json", "--model", model_dir, "--prompt", "aXaXaX"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert set(result) == {"prompt_tokens", "rows"}
    assert [row["method"] for row in result["rows"]] == ["vanilla", "sam"]
    assert set(result["rows"][0]) == {
        "method", "tokens", "target_passes", "mat", "tok_s", "time_ratio", "equal_to_vanilla",
        "first_difference", "relaxed_accepts", "output_ids", "size", "acceptance", "loops", "preset", "changed",
    }  # fmt: skip
    assert all(row["equal_to_vanilla"] and row["first_difference"] is None for row in result["rows"])
    assert result["rows"][0]["time_ratio"] == 1.0


def test_variants_of_a_method_are_compared(model_dir, capsys):
    methods = "sam:len_threshold=2,sam:len_threshold=9:n_predicts=4"
    common = ["--json", "--model", model_dir, "--prompt", "aXaXaX", "--set", "num_pred=3", "--max-new-tokens", "8"]
    composed = ["--set", "router=always", "drafters=recycling+pld"]
    assert main(["compare", "--methods", f"{methods},pld,custom", *common, *composed]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["method"] for row in rows] == [*methods.split(","), "pld", "custom"]
    assert rows[-1]["changed"] == {"router": "always", "drafters": "recycling+pld"}
    assert rows[-1]["equal_to_vanilla"]


def test_variants_of_shared_settings_are_judged_by_their_own_baseline(model_dir, capsys):
    methods = "pld:max_new_tokens=5,vanilla,pld,vanilla:temperature=0.9,pld:temperature=0.9:rule=strict"
    common = ["--model", model_dir, "--prompt", "aXaXaX", "--max-new-tokens", "8", "--set", "ignore_eos=true"]
    assert main(["compare", "--methods", methods, "--json", *common]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["tokens"] for row in rows] == [5, 8, 8, 8, 8]
    assert [row["equal_to_vanilla"] for row in rows[:4]] == [True] * 4
    assert rows[0]["output_ids"] == rows[1]["output_ids"][:5]
    assert rows[3]["output_ids"] != rows[1]["output_ids"] and rows[3]["time_ratio"] == 1.0
    assert main(["compare", "--methods", methods, *common]) == 0
    assert "with its own sampling and stops" in capsys.readouterr().out


def test_presets_hold_for_all_methods_or_for_one(model_dir, capsys):
    common = ["--json", "--model", model_dir, "--prompt", "aXaXaX", "--max-new-tokens", "4"]
    assert main(["compare", "--methods", "vanilla,sam,sam:preset=paper,sam:budget=5", *common]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["size"] for row in rows] == [None, "auto", "own", "at most 5"]
    assert main(["compare", "--methods", "pld,sam:preset=auto", "--preset", "paper", *common]) == 0
    assert [row["size"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["own", "auto"]


def test_a_row_says_which_preset_it_stands_on_and_what_is_changed(model_dir, capsys):
    common = ["--model", model_dir, "--prompt", "aXaXaX", "--max-new-tokens", "4"]
    methods = ["--methods", "vanilla,sam,sam:preset=paper:auxiliary=none,pld:preset=tuned:num_pred=3"]
    assert main(["compare", *methods, "--json", *common]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["preset"], row["changed"]) for row in rows] == [
        (None, {}), ("auto", {}), ("paper", {"auxiliary": "none"}), ("tuned", {"num_pred": 3}),
    ]  # fmt: skip
    assert main(["compare", *methods, *common]) == 0
    printed = capsys.readouterr().out
    assert "sam: settings from auto\n" in printed
    assert "sam:preset=paper:auxiliary=none: settings from paper, auxiliary=none\n" in printed


def test_generate_json_prints_only_the_trace(model_dir, capsys):
    assert main(["generate", "--json", "--model", model_dir, "--prompt", "hi", "--max-new-tokens", "3"]) == 0
    assert len(json.loads(capsys.readouterr().out)["output_ids"]) == 3


def test_settings_reach_the_run(model_dir, capsys):
    arguments = [
        "generate",
        "--json",
        "--method",
        "sam",
        "--model",
        model_dir,
        "--prompt",
        "hi",
        "--max-new-tokens",
        "2",
    ]
    arguments += [
        "--set",
        "len_threshold=3",
        "--set",
        "rule=relaxed",
        "--temperature",
        "0.5",
        "--seed",
        "4",
        "--stop",
        "zz",
    ]
    assert main(arguments) == 0
    run = json.loads(capsys.readouterr().out)
    assert run["config"]["params"]["len_threshold"] == 3
    assert run["config"]["verify"]["rule"] == "relaxed"
    assert (run["config"]["sampling"]["temperature"], run["seed"]) == (0.5, 4)
    assert run["config"]["stopping"]["stop"] == ["zz"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["generate", "--prompt", "x", "--set", "nonsense=1"], "no setting 'nonsense'"),
        (["generate", "--prompt", "x", "--set", "len_threshold"], "not NAME=VALUE"),
        (["generate", "--prompt", "x", "--set", "len_threshold=many"], "len_threshold"),
        (["generate", "--prompt", "x", "--max-new-tokens", "-1"], "max_new_tokens"),
        (["generate", "--prompt", "x", "--method", "magic"], "no method 'magic'"),
        (["compare", "--prompt", "x", "--methods", "sam:preset=fast"], "no preset 'fast'"),
        (["generate", "--prompt-file", "/nowhere/p.txt"], "cannot be read"),
        (["generate", "--prompt", "x", "--trace", "/nowhere/t.json"], "cannot be written"),
        (["compare", "--prompt", "x", "--methods", ","], "at least one method"),
        (["compare", "--prompt", "x", "--set", "nonsense=1"], "nonsense"),
        (["compare", "--prompt", "x", "--methods", "sam:nope=1"], "no setting 'nope'"),
        (["compare", "--prompt", "x", "--methods", "sam,sam"], "named twice"),
        (["check", "/nowhere/t.json"], "cannot be read"),
        (["generate", "--prompt", "x", "--model", "no-such"], "Unknown model"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments, sentence, capsys):
    assert main(arguments) == 2
    message = capsys.readouterr().err.strip()
    assert sentence in message
    assert "\n" not in message


BROKEN = "x\udcff"  # how a byte that is not UTF-8 arrives
LONG, DEEP = "9" * 5000, "[" * 100_000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["generate", "--prompt", BROKEN], "not UTF-8"),
        (["generate", "--prompt", "x", "--stop", BROKEN], "not UTF-8"),
        (["generate", "--prompt", "x", f"--set=stop={BROKEN}"], "not UTF-8"),
        (["generate", "--prompt", "x", "--set", 'stop=["\\ud800"]'], "lone surrogate"),
        (["generate", "--prompt", "x", "--model", BROKEN], "not UTF-8"),
        (["generate", "--prompt-file", "a\0b"], "NUL"),
        (["check", "a\0b"], "NUL"),
        (["compare", "--prompt", "x", "--methods", "vanilla\0"], "NUL"),
        (["bench", "--questions", "a\0b", "--out", "c"], "NUL"),
        (["generate", "--prompt", "x", f"--set=seed={DEEP}"], "nested too deeply"),
        (["generate", "--prompt", "x", f"--set=seed={'[' * 500}{']' * 500}"], "deep"),
        (["compare", "--prompt", "x", "--methods", f"pld:seed={DEEP}"], "nested too deeply"),
        (["generate", "--prompt", "x", f"--set=seed={LONG}"], "seed"),
        (["generate", "--prompt", "x", f"--set={LONG}=1"], "no setting '999"),
        (["generate", "--prompt", "x", f"--set={LONG}"], "not NAME=VALUE"),
        (["generate", "--prompt", "x", "--set=max_new_tokens=true"], "max_new_tokens = True"),
        (["generate", "--prompt", "x", "--method", LONG], "no method '999"),
        (["generate", "--prompt", "x", "--model", LONG], "Unknown model '999"),
        (["generate", "--prompt-file", LONG], "File name too long"),
        (["check", "no\nfile"], "cannot be read"),
    ],
)
def test_odd_text_is_one_short_line(arguments, sentence, capsys):
    assert main(arguments) == 2
    message = capsys.readouterr().err.strip()
    assert sentence in message
    assert "\n" not in message
    assert len(message) < 500


@pytest.mark.parametrize(
    "arguments", [["--seed", LONG], ["--max-new-tokens", "a\nb"], ["x" * 5000], ["--json", "a\nb"]]
)
def test_what_a_usage_error_repeats_is_one_short_line(arguments, capsys):
    with pytest.raises(SystemExit) as exit:
        main(["generate", "--prompt", "x", *arguments])
    assert exit.value.code == 2
    message = capsys.readouterr().err.strip()
    assert "\n" not in message
    assert len(message) < 300


@pytest.mark.parametrize("option", ["--prompt-file", "--chat"])
@pytest.mark.parametrize(
    "content",
    [
        b"\xff",
        b'[{"role": "user", "content": "\xff"}]',
        b'[{"role": "user", "content": "\\ud800"}]',
        DEEP.encode(),
        LONG.encode(),
    ],
)
def test_odd_files_are_refused_before_a_model_is_loaded(option, content, tmp_path, capsys):
    if option == "--prompt-file" and b"\xff" not in content:
        return  # any UTF-8 text is a prompt
    path = tmp_path / "given"
    path.write_bytes(content)
    assert main(["generate", option, str(path), "--model", "/nowhere"]) == 2
    message = capsys.readouterr().err.strip()
    assert str(path) in message and "\n" not in message
    assert len(message) < 300


@pytest.mark.parametrize("option", ["--prompt-file", "--chat", "--tools"])
def test_a_trace_does_not_replace_what_is_read(option, tmp_path, capsys):
    given = tmp_path / "given.json"
    given.write_text('[{"role": "user", "content": "x"}]')
    prompt = [] if option != "--tools" else ["--prompt", "x"]
    assert main(["generate", option, str(given), *prompt, "--trace", str(given), "--model", "/nowhere"]) == 2
    assert "it is also what is read" in capsys.readouterr().err
    assert given.read_text() == '[{"role": "user", "content": "x"}]'


@pytest.mark.parametrize("content", ["{", '{"role": "user"}', "[]", '[{"role": "king", "content": "x"}]'])
def test_bad_chats_are_refused(content, tmp_path, capsys):
    chat = tmp_path / "chat.json"
    chat.write_text(content)
    assert main(["generate", "--chat", str(chat), "--model", "/nowhere"]) == 2
    (said,) = capsys.readouterr().err.splitlines()  # before a model is looked for
    assert said.startswith("error:") and "/nowhere" not in said


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["juggle"],
        ["generate"],
        ["generate", "--prompt", "x", "--nope"],
        ["generate", "--prompt", "x", "--preset", "fast"],
    ],
)
def test_bad_usage_is_one_line_and_exit_code_two(arguments, capsys):
    with pytest.raises(SystemExit) as exit:
        main(arguments)
    assert exit.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_empty_prompt_is_refused(model_dir, capsys):
    assert main(["generate", "--prompt", "  ", "--model", model_dir]) == 2
    assert "prompt is empty" in capsys.readouterr().err


class Signalling(io.StringIO):
    """Standard output that sends this process a signal when the first text arrives, however fast or slow the run is."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def write(self, text: str) -> int:
        first = not self.tell()
        written = super().write(text)
        if first and written:
            signal.raise_signal(self.number)
        return written


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_a_readable_partial_trace(number, model_dir, tmp_path, monkeypatch):
    trace = tmp_path / "partial.json"
    monkeypatch.setattr(sys, "stdout", Signalling(number))
    common = ["generate", "--method", "sam", "--model", model_dir, "--prompt", "abcabc", "--max-new-tokens", "480"]
    assert main([*common, "--trace", str(trace)]) == 130
    run = read_trace(trace)
    assert run.finish_reason == "cancelled"
    assert 0 < len(run.output_ids) < 480
    assert main(["check", str(trace)]) == 0


@pytest.fixture
def full_disk() -> Iterator[int]:
    with Path("/dev/full").open("w") as file:
        yield file.fileno()


def test_a_finished_run_is_printed_though_its_trace_could_not_be_written(model_dir, capsys):
    common = ["generate", "--model", model_dir, "--prompt", "abcabc", "--max-new-tokens", "6"]
    assert main(common) == 0
    text = capsys.readouterr().out
    assert main([*common, "--trace", "/dev/full"]) == 2
    printed = capsys.readouterr()
    assert printed.out == text
    assert printed.err.splitlines()[-1].startswith("error: /dev/full cannot be written: No space left")
    assert main([*common, "--trace", "/dev/full", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["output_text"] + "\n" == text


@pytest.mark.parametrize("more", [[], ["--json"]], ids=["text", "json"])
def test_a_finished_run_has_its_trace_though_it_could_not_be_printed(model_dir, tmp_path, full_disk, more):
    trace = tmp_path / "run.json"
    common = ["generate", "--model", model_dir, "--prompt", "abc", "--trace", str(trace)]
    process = start(*common, *more, stdout=full_disk)
    _, errors = process.communicate()
    assert process.returncode == 2
    assert errors.splitlines()[-1] == "error: standard output: No space left on device."
    assert read_trace(trace).output_ids


def test_a_list_that_cannot_be_printed_is_one_line(full_disk):
    process = start("models", "list", stdout=full_disk)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (2, "error: standard output: No space left on device.\n")


def test_models_list(capsys):
    assert main(["models", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"name", "path", "size_mb", "licence", "drafters"} <= set(rows[0])


def test_a_trace_needs_no_torch():
    """A trace is read, checked and summarised without the engine."""
    code = "import sys, respec_core.trace.schema, respec_core.trace.invariants, respec_core.trace.events, respec_core.methods.traces\n"
    code += "sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY).returncode == 0

"""The command ``settings``."""

from __future__ import annotations

import json
import shlex

import pytest

from respec_core.cli import main


def test_a_line_on_standard_output_and_what_to_know_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--as", "vllm", "--method", "pld", "--set", "max_ngram=4", "--model", "smollm2-135m"]) == 0
    out, err = capsys.readouterr()
    words = shlex.split(out)
    assert words[:3] == ["vllm", "serve", "HuggingFaceTB/SmolLM2-135M-Instruct"]
    assert json.loads(words[-1])["prompt_lookup_max"] == 4
    assert "clock" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--as", "vllm", "--method", "rasd"], "vLLM has no equivalent of rasd."),
        (["--as", "vllm", "--method", "pld", "--form", "python"], "There is no python form of --as vllm"),
        (["--as", "json", "--form", "bash"], "--form goes with lines"),
        (["--as", "cli", "--trace", "x.json", "--method", "pld"], "leave out --method"),
        (["--as", "cli", "--method", "nobody"], "There is no method"),
    ],
)
def test_one_sentence_for_what_cannot_be(capsys: pytest.CaptureFixture[str], arguments: list[str], told: str) -> None:
    assert main(["settings", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and told in err and err.count("\n") == 1


def test_the_settings_of_a_trace(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--as", "json", "--trace", "assets/traces/copy-code-respec.json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == "respec"

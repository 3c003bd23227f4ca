"""The command line of the datastore."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from respec_core.bench import datastore_growth as growth
from respec_core.cli import datastore as cli
from respec_core.errors import ReSpecError
from respec_core.models import encoding

SUPPORT = Path(__file__).parents[1] / "support"


def run_cli(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    cli.add_arguments(parser)
    return cli.main(parser.parse_args(argv))


def test_command_line(tmp_path, encoder, monkeypatch, capsys):
    monkeypatch.setattr(encoding, "load_encoder", lambda *_: encoder)
    out = str(tmp_path / "demo")
    assert run_cli("build", "--files", str(growth.CORPUS), "--out", out) == 0
    assert "documents from" in capsys.readouterr().out
    assert run_cli("info", out, "--verify") == 0
    assert "smollm2-135m" in capsys.readouterr().out
    assert run_cli("info", out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["fingerprint"] == encoder.fingerprint
    with pytest.raises(ReSpecError, match="exists already"):
        run_cli("build", "--files", str(growth.CORPUS), "--out", out)


def test_termination_cleans_up(tmp_path):
    script = f"""
import signal, sys
sys.path.insert(0, {str(SUPPORT)!r})
from respec_core.retrieval import build as building
from respec_core.models import encoding
from respec_core.cli import main
import number_encoder
encoding.load_encoder = lambda *_: number_encoder.Numbers()
def slow(tokens):
    print("sorting", flush=True)
    signal.pause()
building.sort_contexts = slow
sys.exit(main(["datastore", "build", "--files", "numbers.txt", "--out", "store"]))
"""
    (tmp_path / "numbers.txt").write_text("1 2 3")
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": root, "PATH": ""},
    )
    assert process.stdout is not None and process.stdout.readline() == "sorting\n"
    process.terminate()
    _, errors = process.communicate()
    assert process.returncode == 1 and "nothing was written" in errors
    assert [p.name for p in tmp_path.iterdir()] == ["numbers.txt"]

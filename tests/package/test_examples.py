"""The examples run as a reader would run them, on a tiny model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from respec_core.methods.registry import METHODS
from respec_core.methods.traces import read_trace

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = sorted((REPOSITORY / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs(example, model_dir, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "RESPEC_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(example), model_dir], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "ANOTHER TEXT" not in done.stdout
    for written in tmp_path.iterdir():
        assert read_trace(written).method in {method.name for method in METHODS}

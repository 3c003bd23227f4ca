"""``check`` ends with 0, 1 or 2 and says why, whatever the file holds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from small_trace import small

from app.showcases import SHOWCASES, showcase_run

ROOT = Path(__file__).resolve().parents[2]


def check(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "respec_core", "check", str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def cycle(trace: dict[str, Any]) -> None:
    trace["steps"][0]["trees"]["final"][0]["parent"] = 0


def endless(trace: dict[str, Any]) -> None:
    trace["steps"][0]["adl"]["ema_acc"] = float("inf")


def test_a_sound_trace_is_0() -> None:
    done = check(SHOWCASES[0].path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_broken_invariant_is_1(tmp_path: Path) -> None:
    run = showcase_run(SHOWCASES[0].name)
    assert run is not None
    path = tmp_path / "wrong.json"
    path.write_text(run.model_copy(update={"output_text": "other"}).to_json())
    done = check(path)
    assert (done.returncode, done.stderr) == (1, "") and "output_text" in done.stdout


@pytest.mark.parametrize("change", [cycle, endless])
def test_a_malformed_trace_is_2_with_one_line(tmp_path: Path, change: Any) -> None:
    data = small()
    change(data)
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(data))
    done = check(path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: The trace is malformed at steps.0.") and done.stderr.count("\n") == 1

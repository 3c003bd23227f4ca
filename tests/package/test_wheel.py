"""The wheel: what is in it, and that it runs where there is no checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

REPOSITORY = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built by the backend that is installed; nothing is fetched."""
    folder = tmp_path_factory.mktemp("wheel")
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *offline, "-w", str(folder), str(REPOSITORY)], check=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The wheel unpacked by pip; what it depends on comes from the environment of the tests."""
    folder = tmp_path_factory.mktemp("elsewhere")
    offline = ["--no-deps", "--no-index", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, "--target", str(folder), str(wheel)], check=True)
    return folder


def respec(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The console script, run in ``cwd``."""
    command = [sys.executable, str(installed / "bin" / "respec"), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)


def test_it_holds_the_engine_and_its_data_alone(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"respec_core"}
    shipped = {name.removeprefix("respec_core/assets/") for name in names if name.startswith("respec_core/assets/")}
    assert {name.split("/")[0] for name in shipped} == {"bench", "corpus", "drafters", "prompts.json"}
    here = {
        str(path.relative_to(REPOSITORY / "assets"))
        for room in ("bench", "corpus", "drafters")
        for path in (REPOSITORY / "assets" / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert shipped - {"prompts.json"} == here
    assert {"respec_core/py.typed", "respec_core/models/models.toml"} <= set(names)
    assert not [name for name in names if name.endswith(".pyc")]


def test_the_engine_does_not_ask_for_the_page_s_packages(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(archive.read(metadata).decode())
    wanted = [Requirement(line) for line in told.get_all("Requires-Dist", [])]
    assert {one.name for one in wanted if one.marker} == {"gradio", "plotly"}
    assert "torch" in {one.name for one in wanted if not one.marker}


def test_the_command_runs_outside_the_checkout(installed, tmp_path):
    listed = respec(installed, tmp_path, "models", "list")
    assert listed.returncode == 0, listed.stderr
    assert "smollm2-135m" in listed.stdout
    assert respec(installed, tmp_path, "--help").stdout.startswith("usage: respec ")
    wrong = respec(installed, tmp_path, "generate", "--nonsense")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert wrong.stderr.startswith("respec ")


@pytest.mark.model
def test_the_shipped_head_drafts_outside_the_checkout(installed, tmp_path):
    run = respec(
        installed, tmp_path, "generate", "--method", "eagle2", "--prompt", "Say hello.", "--max-new-tokens", "8"
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()

"""The Dockerfile names what is there: files, the Python that the package needs, options that the app takes."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from app.command import parse
from respec_core.models.registry import find_target

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_what_it_copies_installs_and_starts_is_there() -> None:
    for line in re.findall(r"^COPY (?!--)(.*) \./$", TEXT, re.MULTILINE):
        assert all((ROOT / name).is_file() for name in line.split())
    command = json.loads(re.search(r"^ENTRYPOINT (.*)$", TEXT, re.MULTILINE)[1])
    assert command[0] == "python" and (ROOT / command[1]).is_file()
    parse(command[2:])


def test_its_python_is_one_that_the_package_runs_on() -> None:
    version = tuple(map(int, re.search(r"^FROM python:(\d+)\.(\d+)-slim$", TEXT, re.MULTILINE).groups()))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert version >= tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))


def test_the_server_listens_outside_and_the_model_is_known(monkeypatch) -> None:
    monkeypatch.setenv("GRADIO_SERVER_NAME", re.search(r"GRADIO_SERVER_NAME=(\S+)", TEXT)[1])
    assert parse([]).host == "0.0.0.0"
    assert find_target(re.search(r"models fetch (\S+)", TEXT)[1]) is not None

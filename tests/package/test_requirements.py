"""Dependencies are said in three files; here they are held against each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from app.command import parse

REPOSITORY = Path(__file__).parents[2]
FILES = ("requirements.txt", "requirements-dev.txt", "requirements-mcp.txt")


def stated(name: str) -> list[Requirement]:
    lines = (REPOSITORY / name).read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line.strip() and not line.startswith(("#", "-"))]


def test_the_package_asks_for_what_requirements_txt_lists():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packaged = [*project["dependencies"], *project["optional-dependencies"]["app"]]
    assert {str(Requirement(line)) for line in packaged} == {str(line) for line in stated("requirements.txt")}


@pytest.mark.parametrize("name", FILES)
def test_constraints_pin_every_requirement_to_a_version_it_allows(name):
    pins = {pin.name.lower(): pin for pin in stated("constraints.txt")}
    for requirement in stated(name):
        (exact,) = pins[requirement.name.lower()].specifier
        assert exact.operator == "=="
        assert requirement.specifier.contains(exact.version), requirement


def test_constraints_name_no_build_and_no_place():
    for pin in stated("constraints.txt"):
        assert not pin.url
        assert "+" not in str(pin.specifier), pin


def test_a_space_gets_the_pinned_gradio_and_a_python_that_the_package_allows():
    found = re.search(
        r"```yaml\n---\n(.*?)---\n```", (REPOSITORY / "docs" / "spaces.md").read_text(encoding="utf-8"), re.S
    )
    assert found
    block = yaml.safe_load(found[1])
    assert Requirement(f"gradio=={block['sdk_version']}") in stated("constraints.txt")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert SpecifierSet(project["requires-python"]).contains(block["python_version"])
    assert (REPOSITORY / block["app_file"]).is_file()


def test_the_page_listens_where_its_host_says(monkeypatch):
    assert (parse([]).host, parse([]).port) == ("127.0.0.1", 7860)
    monkeypatch.setenv("GRADIO_SERVER_NAME", "0.0.0.0")
    monkeypatch.setenv("GRADIO_SERVER_PORT", "80")
    assert (parse([]).host, parse([]).port) == ("0.0.0.0", 80)
    assert parse(["--host", "::1", "--port", "81"]).port == 81

"""Dependencies are said in three files; here they are held against each other."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

REPOSITORY = Path(__file__).parents[2]
FILES = ("requirements.txt", "requirements-dev.txt")


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

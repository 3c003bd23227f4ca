"""Every stumble that is told has a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_stumble_names_tests_that_are_there() -> None:
    told = (ROOT / "docs" / "stumbles.md").read_text(encoding="utf-8")
    files = [*(ROOT / "tests" / "page").glob("*.py")]
    there = {name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.M)}
    named = set(re.findall(r"`(test_\w+)`", told))
    assert len(named) > 30 and named - there == set()
    scripts = set(re.findall(r"`(\w+\.test\.js)`", told))
    assert all((ROOT / "tests" / "page" / name).is_file() for name in scripts)

"""The unit tests of the page's scripts, by Node's own runner."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from app.panels.labels import sign

ROOT = Path(__file__).parents[2]
FILES = sorted(Path(__file__).parent.glob("*.test.js"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_of_scripts(file: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.fail("there is no node") if os.environ.get("CI") else pytest.skip("there is no node")
    done = subprocess.run([node, "--test", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_signs_are_the_same_in_scripts_and_labels() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.fail("there is no node") if os.environ.get("CI") else pytest.skip("there is no node")
    chars = [
        *map(chr, range(0x250)),
        *map(chr, range(0x600, 0x620)),
        *map(chr, range(0x1FF0, 0x2100)),
        "\ufe0f",
        "\ufeff",
        "😀",
    ]
    code = "import { sign } from './app/static/signs.js'; console.log(JSON.stringify(JSON.parse(process.argv[1]).map(sign)))"
    done = subprocess.run(
        [node, "--input-type=module", "-e", code, json.dumps(chars)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert json.loads(done.stdout) == [sign(char) for char in chars]

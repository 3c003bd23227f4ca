"""The unit tests of the page's scripts, by Node's own runner."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.glob("*.test.js"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_of_scripts(file: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.fail("there is no node") if os.environ.get("CI") else pytest.skip("there is no node")
    done = subprocess.run([node, "--test", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

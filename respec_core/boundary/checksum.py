"""What a file holds, in one number."""

from __future__ import annotations

import hashlib
from pathlib import Path


def checksum(path: Path) -> str:
    """The file's SHA-256 in hex, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

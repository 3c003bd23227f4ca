"""What a datastore folder says about itself: ``manifest.json``, schema version 1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from respec_core.errors import ReSpecError, quoted

SCHEMA_VERSION = 1
MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 256 * 2**20


class StorePart(BaseModel):
    """Tokens ``start..stop`` were sorted together; a part bounds the memory of building, not of searching."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    start: int = Field(ge=0)
    stop: int = Field(ge=0)


class StoreSource(BaseModel):
    """A file that was indexed: its label, size in bytes and number of documents."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    bytes: int = Field(ge=0)
    documents: int = Field(ge=0)


class Manifest(BaseModel):
    """Contents of ``manifest.json``.

    Attributes:
        fingerprint: of the tokenizer; another tokenizer's ids would mean other words.
        dtype: of ``tokens``, little-endian; its largest value separates documents.
        entries: length of the token array, separators included.
        documents: how many texts.
        sha256: of each data file.
        seconds: building took so long.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    schema_version: Literal[1] = 1
    model: str = ""
    fingerprint: str
    vocabulary: int = Field(ge=1)
    dtype: Literal["uint16", "uint32"]
    entries: int = Field(ge=3)
    documents: int = Field(ge=1)
    parts: tuple[StorePart, ...] = Field(min_length=1)
    sources: tuple[StoreSource, ...] = Field(min_length=1)
    sha256: dict[str, str] = {}
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of text, separators not counted."""
        return self.entries - self.documents - len(self.parts)

    def file_bytes(self) -> dict[str, int]:
        """Exact size of every data file."""
        return {
            "tokens": self.entries * (2 if self.dtype == "uint16" else 4),
            "ends": self.entries * 4,
            "offsets": self.entries * 4,
            "starts": self.documents * 8,
            "owners": self.documents * 4,
            "places": self.documents * 4,
        }

    def check(self, folder: Path) -> None:
        """Raise unless the parts tile the tokens and every data file has its exact size.

        Raises:
            ReSpecError: naming what does not fit.
        """
        bounds = [0, *(part.stop for part in self.parts)]
        if [part.start for part in self.parts] != bounds[:-1] or bounds[-1] != self.entries or bounds != sorted(bounds):
            raise ReSpecError(f"The datastore {folder} is damaged: its parts do not add up; build it again.")
        for name, size in self.file_bytes().items():
            file = folder / f"{name}.bin"
            found = file.stat().st_size if file.is_file() else -1
            if found != size:
                state = "is missing" if found < 0 else f"has {found} bytes instead of {size}"
                raise ReSpecError(f"The datastore {folder} is damaged: {file.name} {state}; build it again.")


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a datastore folder.

    Raises:
        ReSpecError: if ``folder`` is no datastore, of another schema version, or its manifest is damaged.
    """
    file = folder / MANIFEST
    if not file.is_file():
        raise ReSpecError(f"{folder} is not a datastore: it has no {MANIFEST}.")
    try:
        if file.stat().st_size > MAX_MANIFEST_BYTES:
            raise ValueError("too large")
        raw = json.loads(file.read_text("utf-8"))
        version = raw["schema_version"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise ReSpecError(f"The datastore {folder} is damaged: {MANIFEST} is not readable; build it again.") from error
    if version != SCHEMA_VERSION:
        raise ReSpecError(
            f"The datastore {folder} has schema version {quoted(version)}; this program reads {SCHEMA_VERSION}: build it again."
        )
    try:
        return Manifest.model_validate(raw)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise ReSpecError(
            f"The datastore {folder} is damaged: {where} in {MANIFEST} is wrong; build it again."
        ) from error

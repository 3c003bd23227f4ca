"""Runs of the real engine that the page opens on and lessons stand on (``assets/traces``, by ``python -m app.making.traces``)."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.form import SettingValues
from respec_core.methods.traces import parse_trace, read_trace
from respec_core.models.assets import ASSETS
from respec_core.trace.schema import Run

TRACES = ASSETS / "traces"
GALLERY = ASSETS / "gallery"
OPENING = "summary-respec-strict"


@dataclass(frozen=True)
class Showcase:
    """What was run: an example prompt under a method, both at their defaults but for length and draft size."""

    name: str
    title: str
    example: str
    method: str
    max_new_tokens: int = 96
    size: str = "own"  # the rule; sizes that follow the clock are another run on another machine
    packed: bool = False  # one of the gallery's many, with gzip

    @property
    def settings(self) -> SettingValues:
        """What differs from the defaults."""
        return {"max_new_tokens": self.max_new_tokens, "budget_rule": self.size}

    @property
    def path(self) -> Path:
        """Its trace file."""
        return GALLERY / f"{self.name}.json.gz" if self.packed else TRACES / f"{self.name}.json"


SHOWCASES = (
    Showcase("summary-respec-strict", "Summary: ReSpec, strict", "summary", "respec-strict", 128),
    Showcase("copy-code-respec", "Copying code: ReSpec, relaxed", "copy-code", "respec", 160),
    Showcase("copy-code-sam", "Copying code: SAM-Decoding", "copy-code", "sam", 160),
    Showcase("summary-sam", "Summary: SAM-Decoding", "summary", "sam", 128),
    Showcase("story-respec-strict", "Open story: ReSpec, strict", "story", "respec-strict"),
    Showcase("story-sam", "Open story: SAM-Decoding abstains", "story", "sam"),
    Showcase("story-pld", "Open story: prompt lookup", "story", "pld"),
    Showcase("story-diffuspec", "Open story: DiffuSpec", "story", "diffuspec"),
    Showcase("summary-rasd", "Summary: RASD", "summary", "rasd", 128),
)


def showcases() -> dict[str, Showcase]:
    """Showcases whose file is there, by name."""
    return {showcase.name: showcase for showcase in SHOWCASES if showcase.path.is_file()}


def showcase_run(name: str) -> Run | None:
    """The showcase's run called ``name``, or None."""
    found = showcases().get(name)
    return run_in_file(found.path) if found else None


@cache
def run_in_file(path: Path) -> Run:
    """A trace that comes with the page, packed or not."""
    return parse_trace(gzip.decompress(path.read_bytes())) if path.suffix == ".gz" else read_trace(path)

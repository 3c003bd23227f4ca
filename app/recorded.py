"""Runs recorded from the real engine (``assets/traces``, by ``python -m app.record``); the page opens on one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from respec_core.methods.traces import read_trace
from respec_core.models.assets import ASSETS
from respec_core.trace.schema import Run

TRACES = ASSETS / "traces"
OPENING = "summary-respec-strict"


@dataclass(frozen=True)
class Recording:
    """What was recorded: an example prompt under a method, both at their defaults but for length and draft size."""

    name: str
    title: str
    example: str
    method: str
    max_new_tokens: int = 96
    size: str = "own"  # the rule; sizes that follow the clock are another run on another machine

    @property
    def settings(self) -> dict[str, Any]:
        """What differs from the defaults."""
        return {"max_new_tokens": self.max_new_tokens, "budget_rule": self.size}

    @property
    def path(self) -> Path:
        """Its trace file."""
        return TRACES / f"{self.name}.json"


RECORDINGS = (
    Recording("summary-respec-strict", "Summary: ReSpec, strict", "summary", "respec-strict", 128),
    Recording("copy-code-respec", "Copying code: ReSpec, relaxed", "copy-code", "respec", 160),
    Recording("copy-code-sam", "Copying code: SAM-Decoding", "copy-code", "sam", 160),
    Recording("summary-sam", "Summary: SAM-Decoding", "summary", "sam", 128),
    Recording("story-respec-strict", "Open story: ReSpec, strict", "story", "respec-strict"),
    Recording("story-sam", "Open story: SAM-Decoding abstains", "story", "sam"),
    Recording("story-pld", "Open story: prompt lookup", "story", "pld"),
    Recording("story-diffuspec", "Open story: DiffuSpec", "story", "diffuspec"),
    Recording("summary-rasd", "Summary: RASD", "summary", "rasd", 128),
)


def recordings() -> dict[str, Recording]:
    """Recordings whose file is there, by name."""
    return {recording.name: recording for recording in RECORDINGS if recording.path.is_file()}


@cache
def recorded(name: str) -> Run | None:
    """The recorded run called ``name``, or None."""
    found = recordings().get(name)
    return read_trace(found.path) if found else None

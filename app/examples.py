"""The example prompts (``assets/prompts.json``), written for this project."""

from __future__ import annotations

import json
from functools import cache

from pydantic import BaseModel, ConfigDict

from respec_core.models.assets import ASSETS


class Example(BaseModel):
    """A prompt to try; ``kind`` groups them in the page's list."""

    model_config = ConfigDict(frozen=True)
    id: str
    title: str
    kind: str
    prompt: str


@cache
def examples() -> tuple[Example, ...]:
    """All examples, in the file's order."""
    return tuple(Example(**entry) for entry in json.loads((ASSETS / "prompts.json").read_text(encoding="utf-8")))


def find_example(id: str) -> Example | None:
    """The example called ``id``, or None."""
    return next((example for example in examples() if example.id == id), None)

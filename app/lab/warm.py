"""The first answers of the shipped set, computed while the server idles: the slider's first move finds the atlas open."""

from __future__ import annotations

import json
from typing import Any

from app.lab.answers import THETA, answer
from app.lab.sets import Sets
from app.loading import Loader
from app.requests import DEFAULT_METHOD

FIRST: dict[str, Any] = {
    "method": DEFAULT_METHOD,
    "settings": {"switch": "gate"},
    "knob": THETA,
}  # what the page opens with


def warm(sets: Sets, loader: Loader) -> None:
    """Ask what the page asks when it opens, once the model is loaded; whoever asks earlier computes it then."""
    loader.wait()
    for what in ("set", "look", "curve"):
        left = 1
        while left:
            left = json.loads(answer(json.dumps({"what": what, **FIRST}), sets, loader.choice)).get("left", 0)

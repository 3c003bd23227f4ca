"""What the form says of its settings before a run: hints, and the tree that they will draft."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypedDict

from respec_core.boundary.untrusted_json import parse_json
from respec_core.errors import ReSpecError
from respec_core.methods.family import Method
from respec_core.methods.outlook import outlook as outlook_of
from respec_core.methods.registry import find_method
from respec_core.settings.sketch import Portion, example

MAX_ASKED = 10_000  # characters
ROWS, COLUMNS = 6, 12  # of a drawn tree


class DrawnPart(TypedDict):
    """One drafter's share. ``parents`` is a tree of that size, of each node below the root, which is 0; it is cut where
    ``whole`` is false."""

    name: str
    about: str
    source: str
    parents: list[int]
    whole: bool


class OutlookView(TypedDict):
    """``wrong`` is empty where a run can be so set; ``idle`` says by setting name why it has no effect."""

    wrong: str
    idle: dict[str, str]
    size: str
    parts: list[DrawnPart]


def outlook_view(method: Method, values: Mapping[str, Any]) -> OutlookView:
    """Of a method's form."""
    found = outlook_of(method, values)
    return {
        "wrong": found.wrong,
        "idle": dict(found.idle),
        "size": found.size,
        "parts": [_drawn(part, most) for part, most in found.parts],
    }


def _drawn(part: Portion, most: int) -> DrawnPart:
    depth, width = part.depth(most), part.width(most)
    levels = [min(size, ROWS) for size in part.levels[:COLUMNS]]
    shown = example(levels, min(most, sum(levels)))
    return {
        "name": part.name,
        "about": f"{depth} deep, {width} wide" if width > 1 else f"a chain of {depth}",
        "source": part.source,
        "parents": list(shown),
        "whole": len(shown) == most,
    }


def outlook(asked: Any = None) -> str:
    """For the browser, which sends its method and settings as JSON text; a sentence as ``wrong`` for anything else."""
    try:
        given = parse_json(str(asked)[:MAX_ASKED], "The form")
        if not isinstance(given, dict) or not isinstance(given.get("settings"), dict):
            raise ReSpecError("The page sent no settings: reload it.")
        view = outlook_view(find_method(str(given.get("method", ""))), given["settings"])
    except ReSpecError as error:
        view = {"wrong": str(error), "idle": {}, "size": "", "parts": []}
    return json.dumps(view)

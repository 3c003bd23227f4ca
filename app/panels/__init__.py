"""Panels: plain dictionaries made from a trace or its rounds. No torch, no gradio, no figure objects.

Colours are names such as ``var:accepted``; the browser resolves them against the page's theme, light or dark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RecordJson = dict[str, Any]  # a record as it dumps itself; JsonOf says of which


@dataclass(frozen=True)
class JsonOf:
    """Marks the JSON of a record in a view: ``Annotated[RecordJson, JsonOf(Token)]``.

    Attributes:
        without: fields that are left out.
        plus: a TypedDict of fields that are added.
    """

    record: type
    without: tuple[str, ...] = ()
    plus: type | None = None

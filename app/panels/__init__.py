"""Panels: plain dictionaries made from a trace or its rounds. No torch, no gradio, no figure objects.

Colours are names such as ``var:accepted``; the browser resolves them against the page's theme, light or dark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict


class Figure(TypedDict):
    """A drawing as Plotly.js takes it.

    Attributes:
        alt: the drawing in a sentence, for those who cannot see it.
        min_width: pixels that it needs, where that is more than a narrow page has.
    """

    data: list[dict[str, Any]]
    layout: dict[str, Any]
    alt: NotRequired[str]
    min_width: NotRequired[float]


@dataclass(frozen=True)
class JsonOf:
    """Marks the JSON of a record in a view: ``Annotated[dict[str, Any], JsonOf(Token)]``.

    Attributes:
        without: fields that are left out.
        plus: a TypedDict of fields that are added.
    """

    record: type
    without: tuple[str, ...] = ()
    plus: type | None = None

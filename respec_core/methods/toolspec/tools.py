"""The tools that a prompt describes: their names, and what each takes. Imports no torch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MOST = 64  # tools, parameters of one, and choices of one
TYPES_IN_QUOTES = ("string", "str")
LISTED = re.compile(
    r"(?:\bName:\s*|^\s*\d+\.\s*(?!Name:))([\w.-]+)[^\n{]*(?:\n[^\n{]*){0,2}?Parameters:\s*\Z", re.MULTILINE
)
LOOK_BACK = 400  # characters before a parameter list in which its tool's name stands


@dataclass(frozen=True)
class Parameter:
    """What a tool takes.

    Attributes:
        quoted: whether its value stands in quotation marks.
        choices: all values it may have as they are written, where the schema says so.
    """

    name: str
    quoted: bool = True
    choices: tuple[str, ...] = ()
    required: bool = True


@dataclass(frozen=True)
class Tool:
    """A tool as its schema tells."""

    name: str
    parameters: tuple[Parameter, ...]

    def described(self) -> dict[str, Any]:
        """As a schema that :func:`tools_in` reads alike."""
        properties = {
            one.name: {"type": "boolean" if one.choices and not one.quoted else "string" if one.quoted else "number"}
            | ({"enum": [*one.choices]} if one.choices and one.quoted else {})
            for one in self.parameters
        }
        required = [one.name for one in self.parameters if one.required]
        return {"name": self.name, "parameters": {"properties": properties, "required": required}}


def tools_in(text: str) -> tuple[Tool, ...]:
    """Tools described as JSON schemas (``{"name", "parameters": {…}}``, OpenAI's form too), or listed as the authors' prompts do.

    A call, whose parameters have values and no schemas, is no description.
    """
    found: dict[str, Tool] = {}
    for start, value in _objects(text):
        for tool in _described(value):
            found.setdefault(tool.name, tool)
        listed = LISTED.search(text[max(start - LOOK_BACK, 0) : start])
        if listed and isinstance(value, Mapping):
            found.setdefault(listed[1], Tool(listed[1], _parameters(value)))
    return tuple(found.values())[:MOST]


def _objects(text: str) -> Iterator[tuple[int, Any]]:
    """JSON values that begin with a bracket, the outermost first, and where they begin."""
    decoder, at = json.JSONDecoder(), 0
    while (begun := re.search(r"[{\[]", text[at:])) is not None:
        start = at + begun.start()
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        yield start, value


def _described(value: Any) -> Iterator[Tool]:
    if isinstance(value, list):
        for one in value:
            yield from _described(one)
    elif isinstance(value, Mapping):
        inner = value.get("function", value)
        given = inner.get("parameters") if isinstance(inner, Mapping) else None
        if not isinstance(given, Mapping) or not isinstance(inner.get("name"), str):
            return
        if (
            "description" in inner
            or "properties" in given
            or (given and all(isinstance(p, Mapping) for p in given.values()))
        ):
            yield Tool(inner["name"], _parameters(given))


def _parameters(given: Mapping[str, Any]) -> tuple[Parameter, ...]:
    properties = given.get("properties", given)
    required = given.get("required")
    if not isinstance(properties, Mapping):
        return ()
    must = set(map(str, required)) if isinstance(required, list) else None
    return tuple(
        _parameter(name, schema if isinstance(schema, Mapping) else {}, must is None or name in must)
        for name, schema in [*properties.items()][:MOST]
    )


def _parameter(name: str, schema: Mapping[str, Any], required: bool) -> Parameter:
    kind, choices = schema.get("type", "string"), schema.get("enum")
    if isinstance(choices, list) and choices and all(isinstance(choice, str) for choice in choices):
        return Parameter(name, True, tuple(choices[:MOST]), required)
    if kind == "boolean":
        return Parameter(name, False, ("true", "false"), required)
    return Parameter(name, kind in TYPES_IN_QUOTES, (), required)

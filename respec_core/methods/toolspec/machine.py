"""ToolSpec's state machine (arXiv 2604.13519): where in a tool call a text stands, and what the schema lets follow. Imports no torch.

The state is a function of the committed text (ours): it advances by what was accepted, and every call of an answer goes
through it. The authors' machine leaves each of its first two states after one round, whatever came of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from respec_core.methods.toolspec.record import CallState
from respec_core.methods.toolspec.tools import Parameter, Tool

# the authors', for Qwen2.5 and Llama 3.2
OPENINGS = ('{"name": "', '<tool_call>\n{"name": "', '<tool_call>\n  {"name": "', '```<tool_call>\n{"name": "')
SCHEMA_FIRST: frozenset[CallState] = frozenset({"init", "first_param"})  # elsewhere copies come before the schema
PARAMETERS, ARGUMENTS = "parameters", "arguments"
BEGUN = re.compile(r'\{\s*"name"\s*:\s*"')
LISTS = re.compile(r'\s*,\s*"(?:parameters|arguments)"\s*:\s*\{')
COLON = re.compile(r"\s*:\s*")
SCALAR = re.compile(r"[^\s,}]*")
SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class Position:
    """A place in a call.

    Attributes:
        state: ``value`` is a parameter's own, which the model writes freely; ``done`` is behind the parameters.
        tool: the name, once it is written.
        parameter: the one whose value is being written.
        expected: texts of which the schema lets one follow, none of them empty.
    """

    state: CallState
    tool: str | None = None
    parameter: str | None = None
    expected: tuple[str, ...] = ()


def key_of(prompt: str) -> str:
    """What the prompt calls a call's parameters."""
    return ARGUMENTS if f'"{ARGUMENTS}"' in prompt else PARAMETERS


def position(text: str, tools: Sequence[Tool], key: str = PARAMETERS) -> Position:
    """Where ``text``, an answer so far, stands in its last call."""
    begun = [*BEGUN.finditer(text)]
    if not begun:
        openings = (opening + tool.name for opening in OPENINGS for tool in tools)
        return Position("init", expected=_distinct(_rest_of(text, whole) for whole in openings))
    written = text[begun[-1].end() :]
    name, closed, after = written.partition('"')
    tool = next((tool for tool in tools if tool.name == name), None)
    if not closed:
        names = [tool.name[len(name) :] for tool in tools if tool.name.startswith(name)]
        heads = _first(tool, key) if tool else ()
        return Position("first_param" if tool else "init", name if tool else None, None, _distinct((*heads, *names)))
    if tool is None:
        return Position("init")
    if (lists := LISTS.match(after)) is None:
        expected = (head[len(after) + 1 :] for head in _first(tool, key) if head.startswith(f'"{after}'))
        return Position("first_param", name, None, _distinct(expected))
    return _Body(tool, after[lists.end() :]).position()


def _rest_of(text: str, whole: str) -> str:
    """What is missing where ``text`` ends with a beginning of ``whole``; all of it where nothing is written yet."""
    if not text.strip():
        return whole
    return next((whole[n:] for n in range(min(len(text), len(whole)), 0, -1) if text.endswith(whole[:n])), "")


def _first(tool: Tool, key: str) -> tuple[str, ...]:
    """From the end of the name into the first value."""
    head = f'", "{key}": {{'
    return tuple(head + way for way in _ways(tool.parameters))


def _ways(left: Sequence[Parameter]) -> Iterator[str]:
    """Into one of these parameters, or out where nothing is missing."""
    if not any(parameter.required for parameter in left):
        yield "}}"
    yield from map(_named, left)


def _named(parameter: Parameter) -> str:
    return f'"{parameter.name}": ' + ('"' if parameter.quoted else "")


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))


@dataclass(frozen=True)
class _Body:
    """A call behind the bracket that opens its parameters."""

    tool: Tool
    text: str

    def position(self) -> Position:
        at, used = 0, list[str]()
        while True:
            here = SPACE.match(self.text, at)
            assert here is not None
            spaced, start = here.group() != "", here.end()
            if start == len(self.text):
                left = self._left(used)
                if not used:
                    return self._keys(used, _ways(left))
                lead = "" if spaced else " "
                return self._keys(used, (lead + _named(parameter) for parameter in left))
            if self.text[start] == "}":
                return self._behind(self.text[start + 1 :])
            if self.text[start] != '"':
                return self._lost(used)
            end = self.text.find('"', start + 1)
            if end < 0:
                begun = self.text[start:]
                whole = (_named(parameter) for parameter in self._left(used))
                return self._keys(used, (one[len(begun) :] for one in whole if one.startswith(begun)))
            name = self.text[start + 1 : end]
            parameter = next((one for one in self.tool.parameters if one.name == name), Parameter(name))
            colon = COLON.match(self.text, end + 1)
            if colon is None or colon.end() == len(self.text):
                begun = self.text[start:]
                named = _named(parameter)
                ways = [named] if parameter.quoted or not parameter.choices else [named + c for c in parameter.choices]
                return self._keys(used, (way[len(begun) :] for way in ways if way.startswith(begun)))
            behind = self._value(parameter, colon.end())
            if isinstance(behind, Position):
                return behind
            used.append(name)
            here = SPACE.match(self.text, behind)
            assert here is not None
            at = here.end()
            if at == len(self.text):
                return self._keys(used, self._next(used))
            if self.text[at] == ",":
                at += 1
            elif self.text[at] != "}":
                return self._lost(used)

    def _value(self, parameter: Parameter, start: int) -> int | Position:
        """Where a value ends, or that it has not ended yet."""
        text = self.text
        free = Position("value", self.tool.name, parameter.name)
        if text[start] == '"':
            end = _string_end(text, start)
            if end is not None:
                return end
            begun = text[start + 1 :]
            choices = (f'{choice[len(begun) :]}"' for choice in parameter.choices if choice.startswith(begun))
            return Position("value", self.tool.name, parameter.name, _distinct(choices))
        if text[start] in "{[":
            return _nested_end(text, start) or free
        found = SCALAR.match(text, start)
        assert found is not None
        begun = found.group()
        if found.end() < len(text) or (not parameter.quoted and begun in parameter.choices):
            return found.end()
        if parameter.quoted:
            return free
        choices = (choice[len(begun) :] for choice in parameter.choices if choice.startswith(begun))
        return Position("value", self.tool.name, parameter.name, _distinct(choices))

    def _left(self, used: Sequence[str]) -> list[Parameter]:
        return [parameter for parameter in self.tool.parameters if parameter.name not in used]

    def _next(self, used: Sequence[str]) -> Iterator[str]:
        """Behind a value."""
        return (way if way.startswith("}") else f", {way}" for way in _ways(self._left(used)))

    def _keys(self, used: Sequence[str], expected: Iterable[str]) -> Position:
        return Position("remaining_param" if used else "first_param", self.tool.name, None, _distinct(expected))

    def _behind(self, rest: str) -> Position:
        return Position("done", self.tool.name, None, () if rest.strip() else ("}",))

    def _lost(self, used: Sequence[str]) -> Position:
        """It is no JSON any more."""
        return self._keys(used, ())


def _string_end(text: str, start: int) -> int | None:
    """Behind the closing mark of the string that opens at ``start``."""
    at = start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == '"':
            return at + 1
        at += 1
    return None


def _nested_end(text: str, start: int) -> int | None:
    """Behind the bracket that closes the one at ``start``."""
    depth, at = 0, start
    while at < len(text):
        if text[at] == '"':
            end = _string_end(text, at)
            if end is None:
                return None
            at = end
            continue
        depth += (text[at] in "{[") - (text[at] in "}]")
        at += 1
        if not depth:
            return at
    return None

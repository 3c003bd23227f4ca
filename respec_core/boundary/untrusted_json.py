"""JSON from outside: parsed, and every value plain: finite numbers, real text, moderate depth. No schema yet."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from respec_core.boundary.limits import MAX_FEW, MAX_LONG_TEXT
from respec_core.errors import ReSpecError, shortened

MAX_DEPTH = 24
MAX_INTEGER = 2**53  # beyond it a browser's numbers are not exact
MAX_NUMBER = 1e15  # sums of a whole trace stay finite

Oddity = tuple[list[str | int], str]  # where, and what is wrong there


def parse_json(text: str | bytes, what: str) -> Any:
    """``text`` as plain values; see :func:`refuse_odd`.

    Raises:
        ReSpecError: if it is not UTF-8, no JSON, or holds an odd value; ``what`` begins the sentence.
    """
    try:
        data = json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except UnicodeDecodeError as error:
        raise ReSpecError(f"{what} is not UTF-8 text.") from error
    except (ValueError, RecursionError) as error:
        raise ReSpecError(f"{what} is not JSON: {json_fault(error)}.") from error
    refuse_odd(data, what)
    return data


def json_fault(error: ValueError | RecursionError) -> str:
    """Why ``json.loads`` refused a text, without advice for programmers."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return str(error)
    return "a number in it has thousands of digits"


def refuse_odd(data: Any, what: str) -> None:
    """Look at every value.

    Raises:
        ReSpecError: for numbers that are not finite or absurdly large, text that is not Unicode (lone surrogates) or too
            long, nesting beyond :data:`MAX_DEPTH`, objects of very many names; says where.
    """
    if fault := _fault(data, 0):
        path, problem = fault
        where = f" at {place(reversed(path))}" if path else ""
        raise ReSpecError(f"{what} is malformed{where}: {problem}.")


def place(path: Iterable[str | int]) -> str:
    """Where something stands, on one line and not too long; names in it may come from outside."""
    return shortened(".".join(map(str, path))) or "the top"


def _fault(value: Any, depth: int) -> Oddity | None:
    """The first odd value in ``value``, its path innermost first."""
    if isinstance(value, str):
        return _text_fault(value)
    if isinstance(value, float):
        fine = math.isfinite(value) and abs(value) <= MAX_NUMBER
        return None if fine else ([], "the number is not finite, or absurdly large")
    if isinstance(value, int):
        return None if abs(value) <= MAX_INTEGER else ([], "the number is absurdly large")
    if isinstance(value, dict | Mapping):  # a plain type first: asking an abstract one is slow
        return _inside(value.items(), depth) if len(value) <= MAX_FEW else ([], f"more than {MAX_FEW} names")
    if isinstance(value, list | tuple | Sequence):
        return _inside(enumerate(value), depth)
    return None


def _inside(items: Iterable[tuple[Any, Any]], depth: int) -> Oddity | None:
    if depth >= MAX_DEPTH:
        return [], f"nested more than {MAX_DEPTH} deep"
    for key, item in items:
        if isinstance(key, str) and not _plain(key) and (fault := _text_fault(key)):
            return fault
        if not _plain(item) and (fault := _fault(item, depth + 1)):
            fault[0].append(key)
            return fault
    return None


def _plain(value: Any) -> bool:
    """Whether ``value`` is fine at first sight, as nearly all are."""
    kind = type(value)
    if kind is int:
        return bool(-MAX_INTEGER <= value <= MAX_INTEGER)
    if kind is float:
        return bool(-MAX_NUMBER <= value <= MAX_NUMBER)
    if kind is str:
        return value.isascii() and len(value) <= MAX_LONG_TEXT
    return value is None or kind is bool


def _text_fault(text: str) -> Oddity | None:
    if len(text) > MAX_LONG_TEXT:
        return [], f"the text is longer than {MAX_LONG_TEXT} characters"
    try:
        text.encode()
    except UnicodeEncodeError:
        return [], "the text is not Unicode: a lone surrogate, or bytes that are not UTF-8"
    return None

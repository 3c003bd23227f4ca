"""Ranges of a setting on the command line: ``theta_entropy=0:4:0.1``, ``k_cand=1,2,4``. Imports no torch."""

from __future__ import annotations

import json
import math
from decimal import Decimal, InvalidOperation
from typing import Any

from respec_core.errors import ReSpecError, quoted

MOST = 1000  # values of one setting


def parse_range(given: str) -> tuple[str, list[Any]]:
    """A setting's name and its values: first:last:step with both ends, or a list, each JSON where it parses as that.

    Raises:
        ReSpecError: for anything else.
    """
    name, equals, said = given.partition("=")
    if not equals or not name.strip() or not said.strip():
        raise ReSpecError(f"--param {quoted(given)} is not NAME=FIRST:LAST:STEP or NAME=VALUE,VALUE,….")
    values = _steps(given, said.split(":")) if ":" in said else [_value(one.strip()) for one in said.split(",")]
    if len(values) > MOST:
        raise ReSpecError(f"--param {quoted(given)} has more than {MOST} values: take larger steps.")
    return name.strip(), values


def _steps(given: str, parts: list[str]) -> list[Any]:
    try:
        first, last, step = (Decimal(part.strip()) for part in parts)
    except (InvalidOperation, ValueError) as error:
        raise ReSpecError(f"--param {quoted(given)}: a range is FIRST:LAST:STEP, three numbers.") from error
    if (
        not all(number.is_finite() and abs(number) < 10**9 for number in (first, last, step))
        or step <= 0
        or last < first
    ):
        raise ReSpecError(f"--param {quoted(given)}: a range goes up from FIRST to LAST by a STEP above 0.")
    count = math.floor((last - first) / step) + 1
    if count > MOST:
        raise ReSpecError(f"--param {quoted(given)} has more than {MOST} values: take larger steps.")
    whole = all(number == number.to_integral_value() for number in (first, step))
    return [int(first + i * step) if whole else float(first + i * step) for i in range(count)]


def _value(said: str) -> Any:
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return said

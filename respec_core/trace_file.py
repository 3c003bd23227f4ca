"""Reading traces from outside, which are untrusted: size, version and shape are checked before anything uses them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from respec_core.errors import ReSpecError
from respec_core.trace import SCHEMA_VERSION, Run

MAX_TRACE_BYTES = 64 * 2**20


def parse_trace(data: str | bytes | Mapping[str, Any]) -> Run:
    """A :class:`Run` from JSON text or an object.

    Raises:
        ReSpecError: if it is too large, not JSON, of another version, or not a trace; says which.
    """
    if isinstance(data, str | bytes):
        if len(data) > MAX_TRACE_BYTES:
            raise ReSpecError(f"The trace is larger than {MAX_TRACE_BYTES // 2**20} MB.")
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ReSpecError(f"The trace is not JSON: {error}.") from error
    if not isinstance(data, Mapping) or "schema_version" not in data:
        raise ReSpecError("This is not a trace: it has no schema_version.")
    if data["schema_version"] != SCHEMA_VERSION:
        raise ReSpecError(
            f"The trace has schema version {data['schema_version']!r}; this program reads {SCHEMA_VERSION}."
        )
    try:
        return Run.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise ReSpecError(f"The trace is malformed at {'.'.join(map(str, first['loc']))}: {first['msg']}.") from error


def read_trace(path: Path) -> Run:
    """The trace in a file.

    Raises:
        ReSpecError: if the file cannot be read or does not hold a trace.
    """
    try:
        if path.stat().st_size > MAX_TRACE_BYTES:
            raise ReSpecError(f"{path} is larger than {MAX_TRACE_BYTES // 2**20} MB.")
        return parse_trace(path.read_bytes())
    except OSError as error:
        raise ReSpecError(f"{path} cannot be read: {error.strerror}.") from error

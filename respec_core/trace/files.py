"""Reading traces from outside, which are untrusted. Whatever shows, checks or exports one gets it from here.

Four questions, cheapest first: is it of moderate size and JSON of plain values (``untrusted_json.py``), of this version,
of this schema (``schema.py``), and do its parts hang together (``gate.py``)?
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from respec_core.boundary.untrusted_json import parse_json, place, refuse_odd
from respec_core.errors import ReSpecError
from respec_core.trace.extensions import Extensions
from respec_core.trace.gate import first_fault
from respec_core.trace.schema import SCHEMA_VERSION, Run

MAX_TRACE_BYTES = 64 * 2**20
THE_TRACE = "The trace"


def run_from(data: str | bytes | Mapping[str, Any], extensions: Extensions) -> Run:
    """A :class:`Run` from JSON text or an object, with what the methods in ``extensions`` may add.

    Raises:
        ReSpecError: if it is too large, not JSON, of another version, or not a trace; says which, and where.
    """
    if isinstance(data, str | bytes):
        if len(data) > MAX_TRACE_BYTES:
            raise ReSpecError(f"{THE_TRACE} is larger than {MAX_TRACE_BYTES // 2**20} MB.")
        data = parse_json(data, THE_TRACE)
    else:
        refuse_odd(data, THE_TRACE)
    if not isinstance(data, Mapping) or "schema_version" not in data:
        raise ReSpecError("This is not a trace: it has no schema_version.")
    version = data["schema_version"]
    if isinstance(version, bool) or version != SCHEMA_VERSION:
        raise ReSpecError(
            f"{THE_TRACE} has schema version {place([repr(version)])}; this program reads {SCHEMA_VERSION}."
        )
    try:
        run = Run.model_validate(data, context=extensions.kinds)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise ReSpecError(f"{THE_TRACE} is malformed at {place(first['loc'])}: {first['msg']}.") from error
    if fault := first_fault(run, extensions):
        raise ReSpecError(f"{THE_TRACE} is malformed at {fault[0]}: {fault[1]}.")
    return run


def run_in(path: Path, extensions: Extensions) -> Run:
    """The trace in a file.

    Raises:
        ReSpecError: if the file cannot be read or does not hold a trace.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_TRACE_BYTES + 1)  # a device has no size, and no end
    except OSError as error:
        raise ReSpecError(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > MAX_TRACE_BYTES:
        raise ReSpecError(f"{path} is larger than {MAX_TRACE_BYTES // 2**20} MB.")
    return run_from(data, extensions)

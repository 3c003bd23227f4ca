"""The trace as JSON Schema, made from its records and those of the methods. Imports no torch.

python -m respec_core.methods.trace_schema > docs/trace.schema.json
"""

from __future__ import annotations

import json
import sys
from typing import Any

from respec_core.methods.traces import registered
from respec_core.trace.record import MethodRecord, RecordKinds
from respec_core.trace.schema import SCHEMA_VERSION, Run

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> str:
    """What a reader of traces has to expect, as text; objects hold no other names than the schema's."""
    schema = _with_records(Run.model_json_schema(), registered().kinds)
    head = {"$schema": DIALECT, "title": f"ReSpec Studio trace, schema version {SCHEMA_VERSION}"}
    return json.dumps(head | {n: v for n, v in schema.items() if n != "title"}, indent=1, ensure_ascii=False) + "\n"


def _with_records(schema: dict[str, Any], kinds: RecordKinds) -> dict[str, Any]:
    """A round's records stand in JSON under their own names, where in memory there is the one slot."""
    records = kinds.json_schema()
    kept = {name: kind for name, kind in schema["$defs"].items() if name != MethodRecord.__name__}
    fields: dict[str, Any] = {}
    for name, field in kept["Step"]["properties"].items():
        fields |= records["properties"] if name == "records" else {name: field}
    kept["Step"] = {**kept["Step"], "properties": fields}
    return {**schema, "$defs": dict(sorted({**kept, **records.get("$defs", {})}.items()))}


if __name__ == "__main__":
    sys.stdout.write(json_schema())

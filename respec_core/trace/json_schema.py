"""The trace as JSON Schema, made from its records. Imports no torch.

python -m respec_core.trace.json_schema > docs/trace.schema.json
"""

from __future__ import annotations

import json
import sys

from respec_core.trace.schema import SCHEMA_VERSION, Run

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> str:
    """What a reader of traces has to expect, as text; objects hold no other names than the schema's."""
    schema = {
        "$schema": DIALECT,
        "title": f"ReSpec Studio trace, schema version {SCHEMA_VERSION}",
        **{name: value for name, value in Run.model_json_schema().items() if name != "title"},
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(json_schema())

"""JSON for the browser."""

from __future__ import annotations

import json
from typing import Any


def json_text(value: Any) -> str:
    """``value`` in few characters; half a surrogate pair, which would end an event stream, becomes a question mark.

    Raises:
        ValueError: for a number that JSON does not have.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode(errors="replace").decode()

"""Whatever the browser sends with an event, the page reads fields of it or nothing."""

from __future__ import annotations

from typing import Any

import pytest

from app.sent import Sent


@pytest.mark.parametrize("payload", [None, 5, "stream", ["stream"], {}])
def test_what_is_no_object_has_no_fields(payload: Any) -> None:
    sent = Sent(None, payload)
    assert sent.payload == payload
    assert sent.fields == {}
    assert sent.text("stream", 64) == ""


def test_a_field_is_text_of_limited_length() -> None:
    sent = Sent(None, {"stream": "s" * 100, "name": 7})
    assert sent.text("stream", 64) == "s" * 64
    assert sent.text("name", 64) == "7"

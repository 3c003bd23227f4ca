"""What the browser sends with an event."""

from __future__ import annotations

from typing import Any

import gradio as gr


class Sent(gr.EventData):
    """An event with what was sent, which may be anything.

    Attributes:
        payload: as it came.
        fields: the payload where it is an object, else empty.
    """

    def __init__(self, target: Any, payload: Any) -> None:
        super().__init__(target, payload)
        self.payload = payload
        self.fields: dict[str, object] = payload if isinstance(payload, dict) else {}

    def text(self, name: str, most: int) -> str:
        """A field as text of at most so many characters; empty if it is missing."""
        return str(self.fields.get(name, ""))[:most]

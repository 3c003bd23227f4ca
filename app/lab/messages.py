"""What the Lab is sent while the model works: prompts being recorded, predictions being confirmed."""

from __future__ import annotations

from typing import Literal, TypedDict

from app.message_types import ErrorMessage
from app.panels.panel import GeneralView
from app.requests import Wishes


class OpeningMessage(TypedDict):
    """The form as the page's address has it."""

    kind: Literal["wishes"]
    wishes: Wishes


class ProgressMessage(TypedDict):
    """``done`` of ``total`` tokens, about so many ``seconds`` before the end."""

    kind: Literal["progress"]
    done: int
    total: int
    seconds: float


class RecordedMessage(TypedDict):
    """The set that was recorded."""

    kind: Literal["recorded"]
    set: str
    title: str


class ConfirmedMessage(TypedDict):
    """What was predicted and what was measured so far."""

    kind: Literal["confirmed"]
    panel: GeneralView
    final: bool


LabMessage = OpeningMessage | ProgressMessage | RecordedMessage | ConfirmedMessage | ErrorMessage


class LabPacket(TypedDict):
    """Messages of one stream."""

    stream: str
    seq: int
    messages: list[LabMessage]

"""How the pages' events run: without Gradio's own progress, not as endpoints, and so many at a time."""

from __future__ import annotations

from typing import Literal, TypedDict


class EventRules(TypedDict, total=False):
    """As Gradio's listeners take them."""

    show_progress: Literal["hidden"]
    api_visibility: Literal["private"]
    concurrency_id: str
    concurrency_limit: int | None
    trigger_mode: Literal["multiple"]


QUIET: EventRules = {"show_progress": "hidden", "api_visibility": "private"}
LIGHT: EventRules = {**QUIET, "concurrency_limit": 8, "concurrency_id": "light"}
HEAVY: EventRules = {**QUIET, "concurrency_limit": 2, "concurrency_id": "heavy"}  # seconds, not milliseconds
ENGINE: EventRules = {  # our own line limits these
    **QUIET,
    "concurrency_id": "engine",
    "concurrency_limit": None,
    "trigger_mode": "multiple",
}

"""A chat from outside: a list of messages, each with a role and a text. No torch."""

from __future__ import annotations

from typing import Any

from respec_core.boundary.untrusted_json import refuse_odd
from respec_core.errors import ReSpecError

MAX_PROMPT_CHARS = 400_000
ROLES = ("system", "user", "assistant", "tool")


def check_chat(messages: Any) -> None:
    """Look at every message.

    Raises:
        ReSpecError: if they are not a conversation, or are too long.
    """
    if not isinstance(messages, list) or not messages:
        raise ReSpecError('A chat is a JSON list of messages such as [{"role": "user", "content": "Hello"}].')
    for message in messages:
        if (
            not isinstance(message, dict)
            or message.get("role") not in ROLES
            or not isinstance(message.get("content"), str)
        ):
            raise ReSpecError(f"Each chat message needs a role ({', '.join(ROLES)}) and a text as content.")
    refuse_odd([message["content"] for message in messages], "The chat")
    if sum(len(message["content"]) for message in messages) > MAX_PROMPT_CHARS:
        raise ReSpecError(f"The chat is longer than {MAX_PROMPT_CHARS} characters.")

"""A prompt as the target reads it: tokenised once, the exact ids kept for everyone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from respec_core.config import RunConfig
from respec_core.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.target.model import LanguageModel

MAX_PROMPT_CHARS = 400_000
ROLES = ("system", "user", "assistant", "tool")


def request_for(model: LanguageModel, config: RunConfig, text: str, *, raw: bool = False) -> Request:
    """A request for ``text``: the user's message in the chat template where the model has one, else continued as is.

    Args:
        raw: continue the text itself even if there is a chat template.

    Raises:
        ReSpecError: for an empty or oversized prompt.
    """
    if not text.strip():
        raise ReSpecError("The prompt is empty: write something to continue.")
    if len(text) > MAX_PROMPT_CHARS:
        raise ReSpecError(f"The prompt has {len(text)} characters; the limit is {MAX_PROMPT_CHARS}.")
    tokenizer = _tokenizer(model)
    if raw or not tokenizer.chat_template:
        ids = tokenizer(text)["input_ids"]
        return Request(config, tuple(ids), text)
    return chat_request(model, config, [{"role": "user", "content": text}])


def chat_request(model: LanguageModel, config: RunConfig, messages: Sequence[dict[str, Any]]) -> Request:
    """A request for a conversation of ``{"role", "content"}`` messages, ending where the assistant speaks.

    Raises:
        ReSpecError: if the messages are not a conversation or the model has no chat template.
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
    if sum(len(message["content"]) for message in messages) > MAX_PROMPT_CHARS:
        raise ReSpecError(f"The chat is longer than {MAX_PROMPT_CHARS} characters.")
    tokenizer = _tokenizer(model)
    if not tokenizer.chat_template:
        raise ReSpecError(f"{model.name} has no chat template: use --prompt instead of --chat.")
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]  # the template has its own special tokens
    return Request(config, tuple(ids), text)


def _tokenizer(model: LanguageModel) -> Any:
    if model.tokenizer is None:
        raise ReSpecError(f"{model.name} has no tokenizer.")
    return model.tokenizer

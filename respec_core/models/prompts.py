"""A prompt as the target reads it: tokenised once, the exact ids kept for everyone.

Strings in a user's text that look like control tokens stay text unless ``parse_special`` is set: only the chat template
opens and closes turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import TemplateError

from respec_core.boundary.chat import MAX_PROMPT_CHARS, check_chat
from respec_core.boundary.untrusted_json import refuse_odd
from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.models.control_tokens import as_text, control_strings_in
from respec_core.models.language_model import LanguageModel
from respec_core.settings.run_config import RunConfig


def request_for(model: LanguageModel, config: RunConfig, text: str, *, raw: bool = False) -> Request:
    """A request for ``text``: the user's message in the chat template where the model has one, else continued as is.

    Args:
        raw: continue the text itself even if there is a chat template.

    Raises:
        ReSpecError: for an empty or oversized prompt.
    """
    refuse_odd(text, "The prompt")
    if not text.strip():
        raise ReSpecError("The prompt is empty: write something to continue.")
    if len(text) > MAX_PROMPT_CHARS:
        raise ReSpecError(f"The prompt has {len(text)} characters; the limit is {MAX_PROMPT_CHARS}.")
    tokenizer = _tokenizer(model)
    if not raw and tokenizer.chat_template:
        return chat_request(model, config, [{"role": "user", "content": text}])
    specials = control_strings_in(tokenizer, text)
    encode = tokenizer if config.prompt.parse_special or not specials else as_text(tokenizer)
    return Request(config, tuple(encode(text)["input_ids"]), text, specials)


def chat_request(model: LanguageModel, config: RunConfig, messages: Sequence[dict[str, Any]]) -> Request:
    """A request for a conversation of ``{"role", "content"}`` messages, ending where the assistant speaks.

    Raises:
        ReSpecError: if the messages are not a conversation or the model has no chat template.
    """
    check_chat(messages)
    tokenizer = _tokenizer(model)
    if not tokenizer.chat_template:
        raise ReSpecError(f"{model.name} has no chat template: use --prompt instead of --chat.")
    spoken = [{"role": message["role"], "content": message["content"]} for message in messages]
    specials = control_strings_in(tokenizer, "\0".join(message["content"] for message in spoken))
    try:
        text = tokenizer.apply_chat_template(spoken, tokenize=False, add_generation_prompt=True)
        if specials and not config.prompt.parse_special:
            ids = tokenizer.apply_chat_template(
                spoken, add_generation_prompt=True, sanitize_control_tokens=True, return_dict=False
            )
        else:
            ids = tokenizer(text, add_special_tokens=False)["input_ids"]  # the template has its own special tokens
    except (TemplateError, ValueError) as error:
        raise ReSpecError(f"{model.name}'s chat template does not take this chat: {error}.") from error
    return Request(config, tuple(ids), text, specials)


def _tokenizer(model: LanguageModel) -> Any:
    if model.tokenizer is None:
        raise ReSpecError(f"{model.name} has no tokenizer.")
    return model.tokenizer

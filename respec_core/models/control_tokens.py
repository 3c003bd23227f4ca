"""Strings in a text that its tokenizer would read as control tokens: which there are, and a tokenizer that does not."""

from __future__ import annotations

import re
from copy import deepcopy
from functools import lru_cache

from transformers import PreTrainedTokenizerBase

TOKENIZERS = 8  # remembered


@lru_cache(maxsize=TOKENIZERS)
def control_strings(tokenizer: PreTrainedTokenizerBase) -> tuple[str, ...]:
    """Every added token that steers the model: the special ones, and those that the chat template writes.

    Runs of spaces and markup such as Gemma's ``<table>`` are added tokens too, but ordinary text.
    """
    template = tokenizer.chat_template if isinstance(tokenizer.chat_template, str) else ""
    added = tokenizer.added_tokens_decoder.values()
    return tuple(t.content for t in added if t.special or (t.content.strip() and t.content in template))


def control_strings_in(tokenizer: PreTrainedTokenizerBase, text: str) -> tuple[str, ...]:
    """The control strings that ``text`` contains, each once, in the order in which they first appear."""
    return tuple(dict.fromkeys(_pattern(tokenizer).findall(text)))


@lru_cache(maxsize=TOKENIZERS)
def as_text(tokenizer: PreTrainedTokenizerBase) -> PreTrainedTokenizerBase:
    """A copy of ``tokenizer`` to which control strings are text like any other.

    A copy, because the switch is kept in the backend: flipped for one thread, it would be flipped for all.
    """
    plain = deepcopy(tokenizer)
    plain.split_special_tokens = True
    known = set(control_strings(tokenizer))
    for token in tokenizer.added_tokens_decoder.values():
        if token.content in known and not token.special:  # the switch is for special ones only
            token.special = True
            plain.add_tokens([token], special_tokens=True)
    return plain


@lru_cache(maxsize=TOKENIZERS)
def _pattern(tokenizer: PreTrainedTokenizerBase) -> re.Pattern[str]:
    longest_first = sorted(control_strings(tokenizer), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or "(?!)")

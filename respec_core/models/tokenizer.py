"""Opening a model's tokenizer."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

PLAIN = frozenset({PreTrainedTokenizerFast.__name__, "PreTrainedTokenizerFast"})  # its name has changed
# Families for which AutoTokenizer takes the class that the folder names.
TRUSTED = frozenset({"llama", "qwen3"})


def open_tokenizer(path: Path | str, *, trust_remote_code: bool = False) -> PreTrainedTokenizerBase:
    """The tokenizer in the folder ``path``, as transformers' ``AutoTokenizer`` opens it.

    That loads the configuration's class first and with it network code, which takes longer than reading the tokenizer; so where
    the folder names the plain class, as this program's own conversions do, it is opened as that.
    """
    opened: Any
    if _is_plain(Path(path)):
        opened = PreTrainedTokenizerFast.from_pretrained(path)
    else:
        from transformers import AutoTokenizer

        opened = AutoTokenizer.from_pretrained(path, trust_remote_code=trust_remote_code)
    assert isinstance(opened, PreTrainedTokenizerBase)
    return opened


def _is_plain(path: Path) -> bool:
    with suppress(OSError, ValueError, AttributeError):  # what is damaged AutoTokenizer says best
        family = json.loads((path / "config.json").read_bytes()).get("model_type")
        settings = json.loads((path / "tokenizer_config.json").read_bytes())
        return family in TRUSTED and settings.get("tokenizer_class") in PLAIN and "auto_map" not in settings
    return False

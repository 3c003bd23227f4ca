"""Opening a model's tokenizer."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

PLAIN = frozenset({PreTrainedTokenizerFast.__name__, "PreTrainedTokenizerFast"})  # its name has changed


def open_tokenizer(path: Path | str, *, trust_remote_code: bool = False) -> PreTrainedTokenizerBase:
    """The tokenizer in the folder ``path``, as transformers' ``AutoTokenizer`` opens it.

    That loads every model family's code first, which takes longer than reading the tokenizer; so one whose folder names the
    plain class, as this program's own conversions do, is opened as that.
    """
    opened: Any
    if _class_name(Path(path)) in PLAIN:
        opened = PreTrainedTokenizerFast.from_pretrained(path)
    else:
        from transformers import AutoTokenizer

        opened = AutoTokenizer.from_pretrained(path, trust_remote_code=trust_remote_code)
    assert isinstance(opened, PreTrainedTokenizerBase)
    return opened


def _class_name(path: Path) -> str:
    with suppress(OSError, ValueError, AttributeError):  # what is damaged AutoTokenizer says best
        settings = json.loads((path / "tokenizer_config.json").read_bytes())
        if "auto_map" not in settings:
            return str(settings.get("tokenizer_class"))
    return ""

"""Token ids to text, piece by piece, without ever cutting a character."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from transformers import PreTrainedTokenizerBase

REPLACEMENT = "\ufffd"


class Pieces:
    """How single tokens of a vocabulary look: text where they are text, ``⟨F0 9F⟩`` where they are bytes."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase | None) -> None:
        self.tokenizer = tokenizer
        self.special_ids = frozenset(tokenizer.all_special_ids) if tokenizer is not None else frozenset()
        self._byte_of = {char: byte for byte, char in _byte_alphabet().items()}
        self.piece = lru_cache(maxsize=1 << 17)(self._piece)  # per instance: shared by runs of one model

    def is_special(self, token: int) -> bool:
        """End of text, turn marks and the like."""
        return token in self.special_ids

    def has_digit(self, token: int) -> bool:
        """Whether the token shows a digit."""
        return any(char.isdigit() for char in self.piece(token))

    def _piece(self, token: int) -> str:
        if self.tokenizer is None:
            return f"‹{token}›"
        text = decode_exactly(self.tokenizer, [token])
        if REPLACEMENT not in text and text:
            return text
        raw = str(self.tokenizer.convert_ids_to_tokens(token) or "")
        if not raw:
            return f"‹{token}›"
        if raw.startswith("<0x") and raw.endswith(">"):
            return f"⟨{raw[3:-1]}⟩"
        if all(char in self._byte_of for char in raw):
            return f"⟨{' '.join(f'{self._byte_of[char]:02X}' for char in raw)}⟩"
        return raw


def _byte_alphabet() -> dict[int, str]:
    """The printable stand-in of each byte in byte-level BPE vocabularies (GPT-2's table)."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {b: chr(b) for b in shown} | {b: chr(256 + i) for i, b in enumerate(hidden)}


class Detokenizer:
    """Incremental decoding of one output.

    A token that leaves a character incomplete adds no text; the token that completes it adds all of it. Special
    tokens add none. The concatenation equals ``tokenizer.decode(ids, skip_special_tokens=True)``.
    """

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self._ids: list[int] = []
        self._shown = 0  # ids before this one are on screen
        self._context = 0  # decoding starts here: a few tokens back, for leading spaces

    def add(self, token: int) -> str:
        """Text that ``token`` completes."""
        tokenizer = self.pieces.tokenizer
        if tokenizer is None:
            return self.pieces.piece(token)
        if self.pieces.is_special(token):
            return ""
        self._ids.append(token)
        before = self._decode(self._ids[self._context : self._shown])
        now = self._decode(self._ids[self._context :])
        if now.endswith(REPLACEMENT) or len(now) <= len(before):
            return ""
        self._context, self._shown = self._shown, len(self._ids)
        return now[len(before) :]

    def flush(self) -> str:
        """Whatever is still held, an incomplete character as U+FFFD."""
        if self._shown == len(self._ids):
            return ""
        before = self._decode(self._ids[self._context : self._shown])
        now = self._decode(self._ids[self._context :])
        self._context, self._shown = self._shown, len(self._ids)
        return now[len(before) :]

    def _decode(self, ids: Sequence[int]) -> str:
        assert self.pieces.tokenizer is not None
        return decode_exactly(self.pieces.tokenizer, ids)


def decode_exactly(tokenizer: PreTrainedTokenizerBase, ids: Sequence[int]) -> str:
    """Text of ``ids`` with nothing tidied: no spaces removed, special tokens shown."""
    return str(tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False))

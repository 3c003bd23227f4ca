"""Token ids to text, piece by piece, without ever cutting a character."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Protocol

REPLACEMENT = "\ufffd"
MAX_CHARACTER_BYTES = 4  # of UTF-8, so an incomplete character takes three tokens at most
BYTE_TOKEN = re.compile("<0x([0-9A-Fa-f]{2})>")  # SentencePiece's way to write a byte


class Tokenizer(Protocol):
    """What is asked of a tokenizer; those of transformers answer it."""

    @property
    def all_special_ids(self) -> list[int]:
        """Ids of the named special tokens."""

    @property
    def added_tokens_decoder(self) -> dict[int, Any]:
        """Tokens added to the vocabulary, each with a flag ``special``."""

    def convert_ids_to_tokens(self, ids: int) -> Any:
        """A token as the vocabulary writes it."""

    def decode(self, token_ids: list[int], **options: Any) -> Any:
        """The text of ``token_ids``."""


class Pieces:
    """How single tokens of a vocabulary look: text where they are text, ``⟨F0 9F⟩`` where they are bytes."""

    def __init__(self, tokenizer: Tokenizer | None) -> None:
        self.tokenizer = tokenizer
        self.special_ids = special_ids(tokenizer) if tokenizer is not None else frozenset()
        self._byte_of = {char: byte for byte, char in byte_alphabet().items()}
        self.piece = lru_cache(maxsize=1 << 17)(self._piece)  # per instance: shared by runs of one model

    def text(self, ids: Iterable[int]) -> str:
        """Their pieces, one behind the other."""
        return "".join(map(self.piece, ids))

    def is_special(self, token: int) -> bool:
        """End of text, turn marks and the like."""
        return token in self.special_ids

    def has_digit(self, token: int) -> bool:
        """Whether the token shows a digit."""
        return any(char.isdigit() for char in self.piece(token))

    def bytes_of(self, token: int) -> bytes:
        """The bytes that ``token`` stands for, whatever the vocabulary's way to write them."""
        raw = self._raw(token)
        if found := BYTE_TOKEN.fullmatch(raw):
            return bytes.fromhex(found[1])
        if all(char in self._byte_of for char in raw):
            return bytes(self._byte_of[char] for char in raw)
        return raw.encode("utf-8", "replace")

    def _raw(self, token: int) -> str:
        return str(self.tokenizer.convert_ids_to_tokens(token) or "") if self.tokenizer is not None else ""

    def _piece(self, token: int) -> str:
        if self.tokenizer is None:
            return f"‹{token}›"
        text = decode_exactly(self.tokenizer, [token])
        if REPLACEMENT not in text and text:
            return text
        raw = self._raw(token)
        if not raw:
            return f"‹{token}›"
        data = self.bytes_of(token)
        return raw if data == raw.encode("utf-8", "replace") else f"⟨{data.hex(' ').upper()}⟩"


def byte_alphabet() -> dict[int, str]:
    """The printable stand-in of each byte in byte-level BPE vocabularies (GPT-2's table)."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {b: chr(b) for b in shown} | {b: chr(256 + i) for i, b in enumerate(hidden)}


def special_ids(tokenizer: Tokenizer) -> frozenset[int]:
    """Every token that ``decode(…, skip_special_tokens=True)`` leaves out; ``all_special_ids`` alone has only the named ones."""
    marked = (token for token, added in tokenizer.added_tokens_decoder.items() if added.special)
    return frozenset([*tokenizer.all_special_ids, *marked])


class Detokenizer:
    """Incremental decoding of one output.

    A token that leaves a character incomplete adds no text; the token that completes it adds all of it. Special
    tokens add none. The concatenation equals ``tokenizer.decode(ids, skip_special_tokens=True)``.
    """

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self._ids: list[int] = []  # the last few: those not shown yet, and some before them for leading spaces
        self._held = 0  # how many of them are not shown
        self._shown = 0  # characters of their text that are

    def add(self, token: int) -> str:
        """Text that ``token`` completes."""
        if self.pieces.tokenizer is None:
            return self.pieces.piece(token)
        if self.pieces.is_special(token):
            return ""
        self._ids.append(token)
        self._held += 1
        now = self._text()
        # a U+FFFD at the end is a character of its own, or the beginning of one; only the bytes can tell
        incomplete = now.endswith(REPLACEMENT) and self._ends_in_a_character()
        if incomplete and self._held < MAX_CHARACTER_BYTES:
            return ""
        text = now[self._shown : len(now) - incomplete]
        # broken bytes may go on without a character ever ending where a token does: then all but the last is shown
        self._ids = self._ids[-min(self._held, MAX_CHARACTER_BYTES) :]
        self._held = len(self._ids) if incomplete else 0
        self._shown = len(self._text()) - incomplete
        return text

    def flush(self) -> str:
        """Whatever is still held, an incomplete character as U+FFFD."""
        return self._text()[self._shown :] if self._held else ""

    def _ends_in_a_character(self) -> bool:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        decoder.decode(b"".join(map(self.pieces.bytes_of, self._ids)))
        return bool(decoder.getstate()[0])

    def _text(self) -> str:
        assert self.pieces.tokenizer is not None
        return decode_exactly(self.pieces.tokenizer, self._ids)


def decode_exactly(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """Text of ``ids`` with nothing tidied: no spaces removed, special tokens shown."""
    return str(tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False))

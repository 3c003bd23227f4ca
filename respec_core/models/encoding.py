"""Text to token ids with character positions, in batches of a fast tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from respec_core.errors import ReSpecError, reason
from respec_core.models.checkpoints import resolve
from respec_core.models.control_tokens import as_text
from respec_core.models.tokenizer import open_tokenizer
from respec_core.models.vocabulary import vocabulary_fingerprint
from respec_core.retrieval.encoding import Encoded

BLOCK_CHARS = 1 << 16
BATCH_CHARS = 1 << 20


class TextEncoder:
    """A tokenizer as the datastore uses it: no special tokens added, long texts in blocks that end at a newline.

    Attributes:
        vocabulary: one more than the largest token id; any size.
        fingerprint: equal fingerprints mean token ids can be exchanged (``LanguageModel.tokenizer_fingerprint``).
    """

    def __init__(self, tokenizer: Any, fingerprint: str | None = None) -> None:
        """``tokenizer`` is a fast one of transformers; ``fingerprint`` is computed when not given.

        Raises:
            ReSpecError: if there is no fast tokenizer, which alone tells where in the text a token stands.
        """
        if tokenizer is None or not getattr(tokenizer, "is_fast", False):
            raise ReSpecError("This model has no fast tokenizer, which a datastore needs to cite positions.")
        self._tokenizer = as_text(tokenizer)  # a document may quote a control token, never be one
        vocabulary = tokenizer.get_vocab()
        self.vocabulary: int = max(vocabulary.values()) + 1
        self.fingerprint = fingerprint or vocabulary_fingerprint(vocabulary)

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Tokens of every text."""
        pieces: list[list[Encoded]] = [[] for _ in texts]
        base = [0] * len(texts)
        blocks = [(owner, block) for owner, text in enumerate(texts) for block in split_blocks(text)]
        for batch in _batches(blocks):
            for (owner, block), encoded in zip(batch, self._encode([block for _, block in batch]), strict=True):
                pieces[owner].append(Encoded(encoded.ids, encoded.offsets + np.uint32(base[owner])))
                base[owner] += len(block)
        return [_join(of_text) for of_text in pieces]

    def _encode(self, blocks: list[str]) -> list[Encoded]:
        batch = self._tokenizer(
            blocks,
            add_special_tokens=False,
            return_attention_mask=False,
            return_offsets_mapping=True,
            verbose=False,
        )
        return [
            Encoded(
                np.array(ids, dtype=np.uint32),
                np.fromiter((start for start, _ in spans), dtype=np.uint32, count=len(spans)),
            )
            for ids, spans in zip(batch["input_ids"], batch["offset_mapping"], strict=True)
        ]


def load_encoder(model: str, progress: Callable[[str], None]) -> TextEncoder:
    """The tokenizer of ``model`` (registry name, hub id or folder), without its weights.

    Raises:
        ReSpecError: if the model cannot be found or has no usable tokenizer.
    """
    path = resolve(model, progress)
    try:
        tokenizer = open_tokenizer(path)
    except Exception as error:
        raise ReSpecError(f"The tokenizer of {model} could not be loaded: {reason(error)}.") from error
    return TextEncoder(tokenizer)


def _batches(blocks: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    # what the tokenizer returns takes over 100 bytes a token, so one long document must not be one batch
    batch: list[tuple[int, str]] = []
    chars = 0
    for owner, block in blocks:
        batch.append((owner, block))
        chars += len(block)
        if chars >= BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def _join(pieces: list[Encoded]) -> Encoded:
    empty = np.zeros(0, dtype=np.uint32)
    return Encoded(
        np.concatenate([empty, *(piece.ids for piece in pieces)]),
        np.concatenate([empty, *(piece.offsets for piece in pieces)]),
    )


def split_blocks(text: str, size: int = BLOCK_CHARS) -> list[str]:
    """``text`` in pieces of about ``size`` characters, cut behind a newline where there is one.

    Blocks bound the tokenizer's memory; at a newline the cut does not change the tokens of ordinary text.
    """
    blocks, start = [], 0
    while len(text) - start > size:
        cut = text.rfind("\n", start + size // 2, start + size) + 1
        stop = cut or start + size
        blocks.append(text[start:stop])
        start = stop
    if start < len(text):
        blocks.append(text[start:])
    return blocks

"""Documents to the flat arrays of a datastore: tokens, character offsets, document table.

Layout of a part: separator, document, separator, document, …, separator. The separator is the largest value of the
tokens' type, which no token id reaches, so no match and no continuation crosses a document.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from respec_core.errors import ReSpecError
from respec_core.retrieval.documents import Document
from respec_core.retrieval.encoding import Encoder
from respec_core.retrieval.manifest import Manifest, StorePart, StoreSource

BATCH_CHARS = 1 << 20
PART_TOKENS = 1 << 26


class Collector:
    """Tokenises documents in batches and appends them to two binary files (on disk or in memory).

    Attributes:
        starts: index of each document's first token.
        owners: index of each document's source in ``sources``.
        places: line or page of each document in its source, 0 for the whole.
        sources: source name to its number of documents, in order of arrival.
        parts: token ranges that are sorted together.
    """

    def __init__(
        self,
        encoder: Encoder,
        tokens: BinaryIO,
        offsets: BinaryIO,
        *,
        part_tokens: int = PART_TOKENS,
        max_tokens: int | None = None,
    ) -> None:
        self.encoder = encoder
        self.dtype = np.dtype("<u2" if encoder.vocabulary < 2**16 else "<u4")
        self.separator = int(np.iinfo(self.dtype).max)
        self.starts = array("q")
        self.owners = array("I")
        self.places = array("I")
        self.sources: dict[str, int] = {}
        self.parts: list[StorePart] = []
        self.entries = 0
        self._tokens, self._offsets = tokens, offsets
        self._part_tokens, self._max_tokens = part_tokens, max_tokens
        self._part_start = 0
        self._batch: list[Document] = []
        self._batch_chars = 0

    def add_source(self, name: str) -> None:
        """A file is about to be read; it is listed even if it holds nothing."""
        self.sources.setdefault(name, 0)

    def add(self, document: Document) -> None:
        """Take a document; empty ones are skipped."""
        if not document.text:
            return
        self._batch.append(document)
        self._batch_chars += len(document.text)
        if self._batch_chars >= BATCH_CHARS:
            self.flush()

    def flush(self) -> None:
        """Tokenise and write what was taken so far."""
        batch, self._batch, self._batch_chars = self._batch, [], 0
        numbers = {name: number for number, name in enumerate(self.sources)}
        for document, encoded in zip(batch, self.encoder.encode([d.text for d in batch]), strict=True):
            if not len(encoded.ids):
                continue
            if self._max_tokens is not None and self.entries + len(encoded.ids) > self._max_tokens:
                raise ReSpecError(f"These documents have more than {self._max_tokens} tokens, which is the limit here.")
            if self.entries == self._part_start:
                self._write(np.array([self.separator]), np.zeros(1))
            if document.source not in numbers:
                self.add_source(document.source)
                numbers[document.source] = len(numbers)
            self.sources[document.source] += 1
            self.starts.append(self.entries)
            self.owners.append(numbers[document.source])
            self.places.append(document.place)
            # the separator carries the text's length: where a hit at the document's end is cited
            self._write(np.append(encoded.ids, self.separator), np.append(encoded.offsets, len(document.text)))
            if self.entries - self._part_start >= self._part_tokens:
                self._close_part()

    def finish(self) -> None:
        """No more documents.

        Raises:
            ReSpecError: if there was no text at all.
        """
        self.flush()
        if self.entries > self._part_start:
            self._close_part()
        if not self.starts:
            raise ReSpecError("There is nothing to index: the documents hold no text.")

    def tables(self) -> dict[str, NDArray[Any]]:
        """The document table: ``starts`` int64, ``owners`` and ``places`` uint32, each ``[documents]``."""
        return {
            "starts": np.array(self.starts, dtype="<i8"),
            "owners": np.array(self.owners, dtype="<u4"),
            "places": np.array(self.places, dtype="<u4"),
        }

    def describe(self, sizes: Mapping[str, int], *, seconds: float, model: str = "") -> Manifest:
        """Manifest of everything taken in; ``sizes`` are the sources' bytes, ``model`` whose tokenizer it was."""
        return Manifest(
            model=model,
            fingerprint=self.encoder.fingerprint,
            vocabulary=self.encoder.vocabulary,
            dtype="uint16" if self.dtype.itemsize == 2 else "uint32",
            entries=self.entries,
            documents=len(self.starts),
            parts=tuple(self.parts),
            sources=tuple(StoreSource(name=n, bytes=sizes.get(n, 0), documents=d) for n, d in self.sources.items()),
            seconds=round(seconds, 3),
        )

    def _close_part(self) -> None:
        self.parts.append(StorePart(start=self._part_start, stop=self.entries))
        self._part_start = self.entries

    def _write(self, tokens: NDArray[np.generic], offsets: NDArray[np.generic]) -> None:
        self._tokens.write(tokens.astype(self.dtype).tobytes())
        self._offsets.write(offsets.astype("<u4").tobytes())
        self.entries += len(tokens)

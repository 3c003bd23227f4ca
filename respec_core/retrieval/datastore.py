"""A read-only store of documents that answers: where did this suffix occur, and what followed?

Longest-suffix search of REST (arXiv 2311.08252, §3): the longest suffix of the context, 16 tokens down to 2, and the
continuations behind its occurrences. On disk everything is memory-mapped; :meth:`Datastore.from_texts` holds a small
store in memory (uploads), which goes with the object. Stores never change, so runs and sessions may share one.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from respec_core.errors import ReSpecError
from respec_core.retrieval.collecting import PART_TOKENS, Collector
from respec_core.retrieval.columns import Columns, map_columns
from respec_core.retrieval.context_order import context_range, longest_context, sort_contexts
from respec_core.retrieval.documents import Document, list_sources, printable, read_source, safe_name, unique_name
from respec_core.retrieval.encoding import Encoder
from respec_core.retrieval.manifest import Manifest, read_manifest

MAX_SPAN, MIN_SPAN, MAX_MATCHES, CONTINUATION = 16, 2, 5000, 10  # REST's own values
MEMORY_BYTES = 32 * 2**20
MEMORY_TOKENS = 16 * 2**20


@dataclass(frozen=True)
class SuffixSpan:
    """Every occurrence of the longest suffix found.

    Attributes:
        length: matched tokens.
        ranges: rank intervals ``lo, hi`` in context order, one for each part that holds the match.
    """

    length: int
    ranges: tuple[tuple[int, int], ...]

    @property
    def count(self) -> int:
        """How many occurrences."""
        return sum(hi - lo for lo, hi in self.ranges)


@dataclass(frozen=True)
class Citation:
    """Where a match can be looked up.

    Attributes:
        doc: file name, with line or page where the document is a part of the file.
        position: index in the store of the first token behind the match.
        token: the same, counted in the document.
        char: the same as a character of the document's text (newlines as one character).
    """

    doc: str
    position: int
    token: int
    char: int


@dataclass(frozen=True)
class Snippet:
    """Tokens around a position, never beyond its document."""

    before: tuple[int, ...]
    after: tuple[int, ...]


class Datastore:
    """Documents, searchable by suffix. Open one with :meth:`open`, or make one with :meth:`from_texts`.

    Attributes:
        manifest: what the store says about itself.
        folder: where it lies, None in memory.
    """

    def __init__(self, manifest: Manifest, columns: Columns, folder: Path | None = None) -> None:
        self.manifest = manifest
        self.folder = folder
        self._columns = columns
        # memoryviews: indexing them is several times faster than indexing arrays, and bisection is all indexing
        self._parts = [
            (part.start, columns.tokens[part.start : part.stop].data, columns.ends[part.start : part.stop].data)
            for part in manifest.parts
        ]
        self._part_starts = np.array([part.start for part in manifest.parts], dtype=np.int64)

    def __len__(self) -> int:
        """Tokens of text."""
        return self.manifest.tokens

    def describe(self) -> dict[str, Any]:
        """For the trace: how much there is."""
        return {"tokens": self.manifest.tokens, "sources": len(self.manifest.sources)}

    @classmethod
    def open(cls, folder: str | Path, fingerprint: str | None = None, *, verify: bool = False) -> Datastore:
        """Map a store built by ``python -m respec_core datastore build``.

        Args:
            fingerprint: the target's tokenizer fingerprint; None to only look at the store.
            verify: also compare every file's checksum (reads all of it).

        Raises:
            ReSpecError: if it is no datastore, is damaged, or was built with another tokenizer.
        """
        folder = Path(folder)
        manifest = read_manifest(folder)
        if fingerprint is not None and fingerprint != manifest.fingerprint:
            built = f" ({manifest.model})" if manifest.model else ""
            raise ReSpecError(
                f"The datastore {folder} was built with another tokenizer{built}: its fingerprint is {manifest.fingerprint},"
                f" the model's is {fingerprint}; build it again with this model."
            )
        return cls(manifest, map_columns(folder, manifest, verify=verify), folder)

    @classmethod
    def from_texts(
        cls,
        texts: Mapping[str, str],
        encoder: Encoder,
        *,
        max_bytes: int = MEMORY_BYTES,
        max_tokens: int = MEMORY_TOKENS,
    ) -> Datastore:
        """A store in memory, from name → text; nothing is written to disk.

        Raises:
            ReSpecError: if there is no text, or more than ``max_bytes`` (UTF-8) or ``max_tokens`` of it.
        """
        names: set[str] = set()
        documents = [Document(unique_name(safe_name(n), names), printable(text)) for n, text in texts.items()]
        return cls.from_documents(documents, encoder, max_bytes=max_bytes, max_tokens=max_tokens)

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        encoder: Encoder,
        *,
        max_bytes: int = MEMORY_BYTES,
        max_tokens: int = MEMORY_TOKENS,
        part_tokens: int = PART_TOKENS,
    ) -> Datastore:
        """As :meth:`from_texts`, from documents."""
        began = time.perf_counter()
        tokens, offsets, sizes = io.BytesIO(), io.BytesIO(), dict[str, int]()
        collector = Collector(encoder, tokens, offsets, part_tokens=part_tokens, max_tokens=max_tokens)
        total = 0
        for document in documents:
            size = len(document.text.encode())
            sizes[document.source] = sizes.get(document.source, 0) + size
            total += size
            if total > max_bytes:
                raise ReSpecError(
                    f"These documents have more than {max_bytes / 2**20:.1f} MB, which is the limit here."
                )
            collector.add_source(document.source)
            collector.add(document)
        collector.finish()
        flat = np.frombuffer(tokens.getvalue(), dtype=collector.dtype)
        columns = Columns(
            tokens=flat,
            ends=np.concatenate([sort_contexts(flat[part.start : part.stop]) for part in collector.parts]),
            offsets=np.frombuffer(offsets.getvalue(), dtype="<u4"),
            **collector.tables(),
        )
        return cls(collector.describe(sizes, seconds=time.perf_counter() - began), columns)

    @classmethod
    def from_files(
        cls,
        paths: Iterable[str | Path],
        encoder: Encoder,
        *,
        max_bytes: int = MEMORY_BYTES,
        max_tokens: int = MEMORY_TOKENS,
    ) -> Datastore:
        """As :meth:`from_texts`, from files and folders (uploads, the demo corpus); each file has at most ``max_bytes``."""
        sources = list_sources(paths, max_bytes)
        documents = (document for source in sources for document in read_source(source))
        return cls.from_documents(documents, encoder, max_bytes=max_bytes, max_tokens=max_tokens)

    def longest_suffix(
        self, ids: Sequence[int], max_span: int = MAX_SPAN, min_span: int = MIN_SPAN
    ) -> SuffixSpan | None:
        """All occurrences of the longest suffix of ``ids`` that occurs, within ``max_span`` … ``min_span`` tokens.

        One binary search for each part finds the length, two more the occurrences (see ``context_order.py``).
        """
        backwards: list[int] = []
        for token in reversed(ids[max(len(ids) - max_span, 0) :]):
            if not 0 <= token < self._columns.separator:  # an id the store cannot hold ends the match
                break
            backwards.append(int(token))
        if len(backwards) < min_span:
            return None
        found = [longest_context(tokens, ends, backwards) for _, tokens, ends in self._parts]
        length = max(shared for shared, _ in found)
        if length < max(min_span, 1):
            return None
        ranges = []
        for (start, tokens, ends), (shared, near) in zip(self._parts, found, strict=True):
            if shared == length:
                lo, hi = context_range(tokens, ends, backwards[:length], near)
                ranges.append((start + lo, start + hi))
        return SuffixSpan(length, tuple(ranges))

    def positions(self, span: SuffixSpan, k: int = MAX_MATCHES) -> NDArray[np.int64]:
        """int64 ``[min(count, k)]``: index behind each occurrence, evenly sampled in context order beyond ``k``."""
        count = span.count
        chosen = np.arange(min(count, max(k, 0)), dtype=np.int64)
        if count > k:
            chosen = chosen * count // k
        found, passed = [], 0
        for lo, hi in span.ranges:
            inside = chosen[(chosen >= passed) & (chosen < passed + hi - lo)] - passed + lo
            part = int(np.searchsorted(self._part_starts, lo, side="right")) - 1
            found.append(self._columns.ends[inside].astype(np.int64) + self._part_starts[part])
            passed += hi - lo
        return np.concatenate(found)

    def continuations(self, span: SuffixSpan, k: int = MAX_MATCHES, length: int = CONTINUATION) -> NDArray[np.int32]:
        """int32 ``[min(count, k), length]``: what followed the occurrences; −1 behind a document's end."""
        return self.continuations_at(self.positions(span, k), length)

    def continuations_at(self, positions: NDArray[np.int64], length: int = CONTINUATION) -> NDArray[np.int32]:
        """int32 ``[positions, length]``: the tokens at and behind each position; −1 behind a document's end."""
        index = positions[:, None] + np.arange(length, dtype=np.int64)
        raw = np.take(self._columns.tokens, index, mode="clip")  # the last entry is a separator
        ended = np.logical_or.accumulate(raw == self._columns.separator, axis=1)
        return np.where(ended, np.int32(-1), raw.astype(np.int32))

    def occurrences(self, span: SuffixSpan, limit: int = 100) -> list[Citation]:
        """Citations of at most ``limit`` occurrences, in the order of :meth:`positions` with ``k=limit``."""
        return [self.cite(int(position)) for position in self.positions(span, limit)]

    def cite(self, position: int) -> Citation:
        """File, line or page, and character of a position from :meth:`positions`."""
        number = self._document(position)
        name = self.manifest.sources[int(self._columns.owners[number])].name
        if place := int(self._columns.places[number]):
            name += f", {'page' if name.lower().endswith('.pdf') else 'line'} {place}"
        return Citation(
            name, position, position - int(self._columns.starts[number]), int(self._columns.offsets[position])
        )

    def snippet(self, position: int, before: int = 12, after: int = 12) -> Snippet:
        """Token ids around ``position``, within its document."""
        start = int(self._columns.starts[self._document(position)])
        ahead = self.continuations_at(np.array([position]), after)[0]
        return Snippet(
            tuple(self._columns.tokens[max(position - before, start) : position].tolist()),
            tuple(ahead[ahead >= 0].tolist()),
        )

    def _document(self, position: int) -> int:
        return max(int(np.searchsorted(self._columns.starts, position, side="right")) - 1, 0)

"""Documents a visitor brings to retrieve from: indexed in memory, for this session only, gone with it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from app.serving.runners import Job
from respec_core.errors import ReSpecError

if TYPE_CHECKING:
    from respec_core.methods.resources import Models
    from respec_core.retrieval.datastore import Datastore
    from respec_core.retrieval.documents import Document

SESSION_BYTES = 16 * 2**20
SESSION_TOKENS = 6 * 2**20
MAX_FILES = 200
MAX_SESSIONS = 40  # of all visitors together; the oldest goes first
READING_SECONDS = 60.0  # small files can hold much work: packed pages, hundreds of thousands of records


class Documents:
    """Every session's own datastore. Sessions never see each other's."""

    def __init__(self) -> None:
        self._stores: dict[str, Datastore] = {}
        self._lock = threading.Lock()

    def index(self, session: str, paths: Sequence[str], models: Models, seconds: float = READING_SECONDS) -> str:
        """Read ``paths`` for ``session``; returns a sentence about what is there now.

        Raises:
            ReSpecError: for too many or too large files, one that cannot be read, or reading that takes longer than
                ``seconds``; what was there stays.
        """
        if len(paths) > MAX_FILES:
            raise ReSpecError(f"Give at most {MAX_FILES} files; put many short texts into one .jsonl file.")
        from respec_core.models.encoding import TextEncoder
        from respec_core.retrieval.datastore import Datastore
        from respec_core.retrieval.documents import list_sources, read_source

        sources = list_sources(paths, SESSION_BYTES)
        read = _in_time((document for source in sources for document in read_source(source)), seconds)
        encoder = TextEncoder(models.target.tokenizer, models.target.tokenizer_fingerprint())
        store = Datastore.from_documents(read, encoder, max_bytes=SESSION_BYTES, max_tokens=SESSION_TOKENS)
        with self._lock:
            self._stores.pop(session, None)
            self._stores[session] = store
            while len(self._stores) > MAX_SESSIONS:
                self._stores.pop(next(iter(self._stores)))
        return describe(store, "your files")

    def forget(self, session: str) -> None:
        """Drop a session's documents."""
        with self._lock:
            self._stores.pop(session, None)

    def has(self, session: str) -> bool:
        """Whether a session brought any."""
        return session in self._stores

    def models_for(self, session: str, models: Models) -> Models:
        """``models`` with the session's own documents in place of the default ones."""
        store = self._stores.get(session)
        return models if store is None else models.having(store)

    def lent(self, session: str, job: Job) -> Job:
        """``job`` with the session's own documents."""
        return lambda models, stopped: job(lambda: self.models_for(session, models()), stopped)

    def note(self, session: str, models: Models | None) -> str:
        """What a run of this session retrieves from besides prompt and output."""
        if session in self._stores:
            return describe(self._stores[session], "your files")
        if models is None:
            return "The model is still loading."
        from respec_core.retrieval.datastore import Datastore

        store = models.get(Datastore)
        return "nothing: no documents are loaded" if store is None else describe(store, "default")


def _in_time(documents: Iterable[Document], seconds: float) -> Iterator[Document]:
    """``documents`` for as long as there is time."""
    end = perf_counter() + seconds
    for document in documents:
        if perf_counter() > end:
            raise ReSpecError(
                f"Reading these files takes longer than {seconds:g} seconds, the limit here: bring fewer."
            )
        yield document


def describe(store: Datastore, whose: str) -> str:
    """Number of documents and tokens."""
    manifest = store.manifest
    return f"{manifest.documents:,} documents, {manifest.tokens:,} tokens ({whose})"

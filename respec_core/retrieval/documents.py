"""Reading documents for a datastore: text, Markdown, code, JSONL and PDF.

Files are streamed one at a time. A JSONL line and a PDF page are documents of their own, so that a hit can be cited
by line or page and a copied continuation never runs into the next record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from respec_core.boundary.untrusted_json import json_fault
from respec_core.errors import ReSpecError

MAX_FILE_BYTES = 256 * 2**20
PROSE = frozenset({".txt", ".md", ".markdown", ".rst", ".adoc", ".tex", ".csv", ".tsv", ".html", ".xml"})
SETTINGS = frozenset({".json", ".yaml", ".yml", ".toml", ".ini", ".cfg"})
CODE = frozenset({".py", ".pyi", ".js", ".jsx", ".ts", ".tsx", ".css", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".go",
    ".rs", ".rb", ".php", ".swift", ".scala", ".sh", ".sql", ".r", ".jl", ".lua", ".pl", ".hs", ".ml"})  # fmt: skip
KNOWN_SUFFIXES = PROSE | SETTINGS | CODE | {".jsonl", ".pdf"}
CHAT_FIELDS = ("messages", "conversations", "conversation", "turns")


@dataclass(frozen=True)
class SourceFile:
    """A file to index: where it lies, and the name it is cited by."""

    path: Path
    name: str
    size: int


@dataclass(frozen=True)
class Document:
    """A text that is indexed as one piece.

    Attributes:
        source: name of the file it came from.
        text: newlines as ``\\n``, without byte-order mark; character positions count in this text.
        place: JSONL line or PDF page, from 1; 0 when the document is the whole file.
    """

    source: str
    text: str
    place: int = 0


def list_sources(paths: Iterable[str | Path], max_file_bytes: int = MAX_FILE_BYTES) -> tuple[SourceFile, ...]:
    """The files behind ``paths`` in a fixed order; folders are walked, taking the known kinds and no hidden ones.

    Raises:
        ReSpecError: for a path that does not exist, a file above ``max_file_bytes``, or when there is no file at all.
    """
    found: list[SourceFile] = []
    names: set[str] = set()
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in KNOWN_SUFFIXES and p.is_file())
            files = [
                (p, f"{path.resolve().name}/{p.relative_to(path).as_posix()}") for p in inside if _visible(p, path)
            ]
        elif path.is_file():
            files = [(path, path.name)]
        else:
            raise ReSpecError(f"There is no file or folder {path}.")
        for file, label in files:
            name = unique_name(safe_name(label), names)
            size = file.stat().st_size
            if size > max_file_bytes:
                raise ReSpecError(
                    f"{name} has {size / 2**20:.1f} MB; the limit for one file is {max_file_bytes / 2**20:.1f} MB."
                )
            found.append(SourceFile(file, name, size))
    if not found:
        raise ReSpecError("There is nothing to index: no text, Markdown, code, JSONL or PDF file was given.")
    return tuple(found)


def _visible(path: Path, root: Path) -> bool:
    return not any(part.startswith(".") for part in path.relative_to(root).parts)


def unique_name(name: str, taken: set[str]) -> str:
    """``name``, numbered if it is among ``taken``, to which it is added."""
    label, candidate, n = PurePosixPath(name), name, 1
    while candidate in taken:
        n += 1
        candidate = str(label.with_stem(f"{label.stem} ({n})"))
    taken.add(candidate)
    return candidate


def safe_name(name: str) -> str:
    """``name`` as a label that is no path out of anywhere: no root, drive, ``..`` or control characters."""
    plain = re.sub(r"[\x00-\x1f\x7f\u2028\u2029\u202a-\u202e\u2066-\u2069]", "", printable(name)).replace("\\", "/")
    parts = [part for part in PurePosixPath(plain).parts if part not in ("/", "//", "..", ".") and ":" not in part[1:2]]
    return "/".join(parts)[-200:] or "unnamed"


def printable(text: str) -> str:
    """``text`` with lone surrogates, which no tokenizer takes, replaced by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def read_source(source: SourceFile) -> Iterator[Document]:
    """The documents of one file, by its suffix; a file of unknown suffix is read as text.

    Raises:
        ReSpecError: naming the file, when it cannot be read as what it claims to be.
    """
    kind = source.path.suffix.lower()
    try:
        if kind == ".pdf":
            yield from _pdf_pages(source)
        elif kind == ".jsonl":
            yield from _jsonl_records(source)
        else:
            data = source.path.read_bytes()
            if b"\0" in data[:8192]:
                raise ReSpecError(f"{source.name} is not a text file.")
            yield Document(source.name, _text(data, source.name))
    except OSError as error:
        raise ReSpecError(f"{source.name} could not be read: {error.strerror or error}.") from error


def _text(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReSpecError(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _jsonl_records(source: SourceFile) -> Iterator[Document]:
    with source.path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            where, written = f"{source.name}, line {number}", _text(line, source.name)
            try:
                record = json.loads(written)
            except (ValueError, RecursionError) as error:
                raise ReSpecError(f"{where} is not JSON, one object a line: {json_fault(error)}.") from error
            text = record_text(record)
            if text is None:
                raise ReSpecError(f'{where} has no text: a "text" field, or "turns" or "messages", is expected.')
            yield Document(source.name, printable(text), number)


def record_text(record: Any) -> str | None:
    """Text of a JSONL record: its ``text``, or the turns of its conversation, a blank line between them."""
    if not isinstance(record, dict):
        return None
    if isinstance(record.get("text"), str):
        return str(record["text"])
    turns = next((record[field] for field in CHAT_FIELDS if isinstance(record.get(field), list)), None)
    if turns is None:
        return None
    said = [turn if isinstance(turn, str) else _said(turn) for turn in turns]
    return "\n\n".join(part for part in said if part)


def _said(turn: Any) -> str:
    if not isinstance(turn, dict):
        return ""
    return next((turn[key] for key in ("content", "value", "text") if isinstance(turn.get(key), str)), "")


def _pdf_pages(source: SourceFile) -> Iterator[Document]:
    from pypdf import PdfReader

    empty = True
    try:
        reader = PdfReader(source.path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise ReSpecError(f"{source.name} is protected by a password.")
        for number, page in enumerate(reader.pages, start=1):
            if text := printable(page.extract_text()):
                empty = False
                yield Document(source.name, text, number)
    except (ReSpecError, GeneratorExit):
        raise
    except Exception as error:  # pypdf raises whatever a broken file makes it stumble over
        reason = str(error).splitlines()[:1] or [type(error).__name__]
        raise ReSpecError(f"{source.name} could not be read as PDF: {reason[0]}.") from error
    if empty:
        raise ReSpecError(f"{source.name} holds no text (a scan?): run text recognition on it first.")

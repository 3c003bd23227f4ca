"""Text, JSONL and PDF files become documents, or a sentence that names them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from respec_core.errors import ReSpecError
from respec_core.retrieval.documents import Document, list_sources, read_source


def read(path: Path) -> list[Document]:
    return [document for source in list_sources([path]) for document in read_source(source)]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("binary.txt", b"\x7fELF\0\0", "binary.txt is not a text file"),
        ("latin.txt", "Köln".encode("latin-1"), "latin.txt is not UTF-8"),
        ("bad.jsonl", b'{"text": "fine"}\n{oops', "bad.jsonl, line 2 is not JSON"),
        ("long.jsonl", b'{"text": "x", "n": ' + b"9" * 5000 + b"}", "long.jsonl, line 1 is not JSON"),
        ("deep.jsonl", b"[" * 100_000, "deep.jsonl, line 1 is not JSON"),
        ("other.jsonl", b'{"body": "x"}', "other.jsonl, line 1 has no text"),
        ("broken.pdf", b"%PDF-1.7\nnothing", "broken.pdf could not be read as PDF"),
        ("empty.pdf", b"", "empty.pdf could not be read as PDF"),
    ],
)
def test_unreadable_files_are_named(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ReSpecError, match=says):
        read(tmp_path / name)


def test_jsonl_conversations(tmp_path):
    records = [
        {"text": "plain"},
        {"turns": ["one", "two"]},
        {"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]},
        {"text": "lone \ud800 surrogate"},
    ]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, records)))
    assert [d.text for d in read(tmp_path / "c.jsonl")] == ["plain", "one\n\ntwo", "hi\n\nhello", "lone ? surrogate"]


def test_pdf_pages(tmp_path):
    (tmp_path / "p.pdf").write_bytes(pdf(["Hello first page", "Second page here"]))
    assert [(d.text, d.place) for d in read(tmp_path / "p.pdf")] == [("Hello first page", 1), ("Second page here", 2)]
    (tmp_path / "scan.pdf").write_bytes(pdf([""]))
    with pytest.raises(ReSpecError, match="holds no text"):
        read(tmp_path / "scan.pdf")


def pdf(pages: list[str]) -> bytes:
    """A minimal PDF with one line of text a page."""
    from io import BytesIO

    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    for text in pages:
        page = writer.add_blank_page(300, 300)
        kind = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
        font = DictionaryObject({NameObject(k): NameObject(v) for k, v in kind.items()})
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = stream
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_folders_names_and_limits(tmp_path):
    for name in ("a/x.md", "b/x.md", ".hidden/x.md", "a/.env.txt", "a/image.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    assert [s.name for s in list_sources([tmp_path / "a", tmp_path / "b"])] == ["a/x.md", "b/x.md"]
    twice = [s.name for s in list_sources([tmp_path / "a/x.md", tmp_path / "b/x.md"])]
    assert twice == ["x.md", "x (2).md"]
    with pytest.raises(ReSpecError, match=r"x\.md has .* the limit"):
        list_sources([tmp_path / "a/x.md"], max_file_bytes=3)
    with pytest.raises(ReSpecError, match="no file or folder"):
        list_sources([tmp_path / "missing"])

"""How programs call this server: ``docs/api.md``, for the page, which puts its own address in the place of the example's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, TypedDict

from app.learn.markup import Prose, Words, prose, words

DOCUMENT = Path(__file__).parents[1] / "docs" / "api.md"
EXAMPLE = "http://127.0.0.1:7860"  # where the document's examples find the server
FENCE = re.compile(r"^```[a-z]*\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
FILE_LINK = re.compile(r"\[([^\]]+)\]\((?!https:)[^)]+\)")  # to a file of the repository: here it leads nowhere


class Code(TypedDict):
    """Lines to be copied."""

    kind: Literal["code"]
    code: str


class Cells(TypedDict):
    """A table; its first row are the names of its columns."""

    kind: Literal["cells"]
    rows: list[list[list[Words]]]


class CallingPart(TypedDict):
    """A section under its title."""

    title: str
    pieces: list[Prose | Code | Cells]


class Calling(TypedDict):
    """The whole document, and the address in it that stands for the server's own."""

    example: str
    parts: list[CallingPart]


@cache
def calling() -> Calling:
    """For the browser."""
    text = FILE_LINK.sub(r"\1", DOCUMENT.read_text(encoding="utf-8"))
    titled = (section.partition("\n") for section in re.split(r"^#+ ", text, flags=re.MULTILINE)[1:])
    parts: list[CallingPart] = [{"title": title.strip(), "pieces": list(_pieces(body))} for title, _, body in titled]
    return {"example": EXAMPLE, "parts": parts}


def _pieces(body: str) -> Iterator[Prose | Code | Cells]:
    at = 0
    for fence in FENCE.finditer(body):
        yield from _told(body[at : fence.start()])
        yield {"kind": "code", "code": fence["code"].rstrip()}
        at = fence.end()
    yield from _told(body[at:])


def _told(text: str) -> Iterator[Prose | Cells]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.startswith("|"):
            head, _, *rows = paragraph.splitlines()
            yield {"kind": "cells", "rows": [_row(line) for line in (head, *rows)]}
        else:
            yield from prose(paragraph)


def _row(line: str) -> list[list[Words]]:
    return [words(cell.strip()) for cell in line.strip("| ").split(" | ")]

"""The Markdown of a lesson: paragraphs, headings, lists, emphasis, code, links. Read into plain records, never into HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypedDict

from app.glossary import TERMS, Term

Style = Literal["plain", "strong", "em", "code"]
MARKS = re.compile(
    r"\*\*(?P<strong>[^*]+)\*\*|\*(?P<em>[^*]+)\*|`(?P<code>[^`]+)`|\[(?P<link>[^\]]+)\]\((?P<href>[^)\s]+)\)"
)
TERM = "term:"  # leads to the glossary
ADDRESS = re.compile(r"https://|/(?!/)|\?|#")  # another site, a page of ours, a place on it
ITEM = re.compile(r"(?:[-*]|(?P<number>\d{1,2}\.)) +(?P<text>.*)")


class Words(TypedDict):
    """A run of text in one style; a link where ``href`` is not empty, a word of the glossary where ``term`` is one."""

    text: str
    style: Style
    href: str
    term: Term | None


class Prose(TypedDict):
    """A paragraph, a heading, or a list; a line each of its items."""

    kind: Literal["paragraph", "heading", "list", "numbered"]
    lines: list[list[Words]]


def prose(text: str) -> list[Prose]:
    """Blocks of ``text``, which are set apart by empty lines."""
    return [_block(lines) for lines in _paragraphs(text)]


def words(line: str) -> list[Words]:
    """A line in its styles. What is no mark of ours stays as it was typed."""
    found: list[Words] = []
    at = 0
    for mark in MARKS.finditer(line):
        href = mark["href"] or ""
        term = TERMS.get(href.removeprefix(TERM)) if href.startswith(TERM) else None
        if href and term is None and not ADDRESS.match(href):
            continue  # such as javascript: stays text
        found.append(_plain(line[at : mark.start()]))
        style: Style = "strong" if mark["strong"] else "em" if mark["em"] else "code" if mark["code"] else "plain"
        inner = mark["strong"] or mark["em"] or mark["code"] or mark["link"]
        found.append({"text": inner, "style": style, "href": "" if term else href, "term": term})
        at = mark.end()
    found.append(_plain(line[at:]))
    return [one for one in found if one["text"]]


def _plain(text: str) -> Words:
    return {"text": text, "style": "plain", "href": "", "term": None}


def _paragraphs(text: str) -> Iterator[list[str]]:
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        if lines:
            yield lines


def _block(lines: list[str]) -> Prose:
    if lines[0].startswith("### "):
        return {"kind": "heading", "lines": [words(lines[0].removeprefix("### "))]}
    first = ITEM.fullmatch(lines[0])
    if first is None:
        return {"kind": "paragraph", "lines": [words(" ".join(lines))]}
    items: list[str] = []
    for line in lines:
        item = ITEM.fullmatch(line)
        if item:
            items.append(item["text"])
        else:  # an item's next line
            items[-1] += f" {line}"
    return {"kind": "numbered" if first["number"] else "list", "lines": [words(item) for item in items]}

"""What the documents say exists: links, files, commands with their settings, trace fields, and the schema as generated."""

from __future__ import annotations

import argparse
import ast
import json
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from app.command import parse
from respec_core.cli import COMMANDS
from respec_core.cli.options import values_from
from respec_core.cli.variants import labelled_configs
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.settings_page import settings_page
from respec_core.methods.trace_schema import json_schema

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    *ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("assets/**/README.md"), *ROOT.glob("respec_core/**/*.md")
]  # fmt: skip
IDS = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|md|json|jsonl|toml|png|safetensors))`")
every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=IDS)


def prose(path: Path) -> str:
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path: Path) -> set[str]:
    """Of a document's headings, the way GitHub makes them."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(prose(path)))
    return {heading.replace(" ", "-") for heading in plain}


@every_document
def test_links_lead_somewhere(path):
    for link in LINK.findall(prose(path)):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        assert target.exists(), f"{link} is not there"
        assert not anchor or anchor in anchors(target), f"{link}: no such heading"


@every_document
def test_named_files_exist(path):
    for name in FILE.findall(prose(path)):
        assert any((folder / name).exists() for folder in (ROOT, ROOT / "respec_core", path.parent)), name


def code_blocks(language: str) -> list[tuple[str, str]]:
    blocks = [
        (name, block)
        for name, path in zip(IDS, DOCUMENTS, strict=True)
        for block in FENCE.findall(path.read_text(encoding="utf-8"))
    ]
    return [(name, text) for name, (kind, text) in blocks if kind == language]


def command_lines() -> Iterator[tuple[str, str]]:
    for name, text in code_blocks(""):
        for line in text.replace("\\\n", " ").splitlines():
            if re.match(r"(python|respec|make|pip)\b", line.strip()):
                yield name, line.strip()


@pytest.mark.parametrize(("document", "line"), [*command_lines()])
def test_command_lines_parse(document, line):
    words = shlex.split(line, comments=True)
    match words:
        case ["python", "-m", "respec_core", command, *rest] | ["respec", command, *rest]:
            arguments(command, rest)
        case ["python", "-m", module, *_]:
            assert module == "pip" or find_spec(module), module
        case ["python", "app.py", *rest]:
            parse(rest)
        case ["python", script, *_]:
            assert (ROOT / script).is_file(), script
        case ["make", target, *_]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE), target


def arguments(command: str, words: list[str]) -> None:
    """Options that exist, and settings that the named methods have."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    import_module(COMMANDS[command][0]).add_arguments(parser)
    args = parser.parse_args(words)
    if hasattr(args, "methods"):
        labelled_configs(args)
    elif hasattr(args, "method"):
        find_method(args.method).configure(values_from(args), args.preset)


@pytest.mark.parametrize(("document", "text"), code_blocks("python"))
def test_python_examples_are_python(document, text):
    ast.parse(text)


def test_schema_is_the_generated_one():
    written = (ROOT / "docs/trace.schema.json").read_text(encoding="utf-8")
    assert written == json_schema(), "python -m respec_core.methods.trace_schema > docs/trace.schema.json"


def test_settings_page_is_the_generated_one():
    written = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    assert written == settings_page(), "python -m respec_core.methods.settings_page > docs/settings.md"


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_is_described(method):
    assert f"| `{method.name}` |" in (ROOT / "README.md").read_text(encoding="utf-8")
    described = (ROOT / "docs/methods.md").read_text(encoding="utf-8")
    assert any(f"`{method.name}`" in heading for heading in HEADING.findall(described))
    assert all(number in described for number in re.findall(r"\d{4}\.\d{5}", method.paper))


def test_every_trace_field_is_described():
    schema = json.loads(json_schema())
    records = [schema, *schema["$defs"].values()]
    fields = {name for record in records for name in record.get("properties", ())}
    told = set(re.findall(r"`(\w+)`", (ROOT / "docs/trace.md").read_text(encoding="utf-8")))
    assert fields <= told, sorted(fields - told)


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 110

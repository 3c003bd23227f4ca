"""The house stays easy to walk through: how large its modules, functions and root may be."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[1]
MODULES = [*sorted((ROOT / "respec_core").rglob("*.py")), *sorted((ROOT / "app").rglob("*.py"))]
CORE = [path for path in MODULES if (ROOT / "respec_core") in path.parents]


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_module_has_at_most_300_lines_and_its_functions_60(path: Path) -> None:
    assert lines(path) <= 300
    functions = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef)]
    assert [f.name for f in functions if (f.end_lineno or 0) - f.lineno >= 60] == []


def test_half_of_the_modules_have_fewer_than_110_lines() -> None:
    assert median(map(lines, MODULES)) < 110


def test_no_two_types_share_a_name() -> None:
    named = Counter(name for path in CORE for name in types(path))
    assert [name for name, times in named.items() if times > 1] == []


def types(path: Path) -> Iterator[str]:
    """Names of the classes and of other types that a module makes: CapWords."""
    for made in ast.parse(path.read_text()).body:
        names = [made.name] if isinstance(made, ast.ClassDef) else []
        if isinstance(made, ast.Assign):
            names = [target.id for target in made.targets if isinstance(target, ast.Name)]
        yield from (name for name in names if name[:1].isupper() and not name.isupper())


def test_the_root_has_at_most_fourteen_entries() -> None:
    entries = [p.name for p in (ROOT / "respec_core").iterdir() if p.name not in ("__pycache__", "py.typed")]
    assert len(entries) <= 14, entries


def test_no_two_test_files_share_a_name():
    """Pytest would import one in the other's place."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []

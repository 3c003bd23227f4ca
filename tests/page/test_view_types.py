"""The declarations that the scripts are checked against are those of the views there are."""

from __future__ import annotations

from typing import TypedDict

import pytest

from app.files import STATIC
from app.panels.registry import PANELS
from app.view_types import declarations
from respec_core.trace.schema import Run


def test_the_declarations_are_fresh() -> None:
    written = (STATIC / "types.d.ts").read_text(encoding="utf-8")
    assert written == declarations(), "python -m app.view_types > app/static/types.d.ts"


def test_what_is_declared() -> None:
    text = declarations()
    assert '  kind: "round";\n  step: Step;\n  tokens: Array<Token>;\n' in text
    assert 'export type RunHead = Omit<Run, "steps" | "tokens"> & Titles;\n' in text
    assert "  lattice?: Lattice | null;\n" in text  # a record stands beside the fields of its round
    assert "  target_p?: number;\n" in text  # a node's empty fields are left out
    assert "  matched: [number, number];\n" in text
    assert "  min_width?: number;\n" in text


class Token(TypedDict):
    """Not the trace's."""

    word: str


def test_two_classes_of_one_name_are_refused() -> None:
    with pytest.raises(TypeError, match="two classes are called Token"):
        declarations((Run, Token))


def test_nothing_is_any() -> None:
    assert "any" not in declarations().replace(",", " ").replace("<", " ").replace(">", " ").replace(";", " ").split()


def test_every_panel_s_view_stands_at_its_id_and_at_its_module() -> None:
    text = declarations()
    assert "  lattice: LatticeView | null;\n" in text  # of a round
    assert "  adl?: LengthView | null;\n" in text  # of a run
    for panel in PANELS:
        assert f"  {panel.id}" in text or f'  "{panel.id}"' in text
        if panel.module:
            assert f'  {panel.id}: Draws<typeof import("./{panel.module}.js"), ' in text

"""A table's figures are the replays', counted once, with what cannot be replayed named below."""

from __future__ import annotations

import json

import pytest
from tiny_atlas import TOKENS, atlas_of

from respec_core.cli import main
from respec_core.lab.replay import replay
from respec_core.lab.sweep import configured
from respec_core.lab.tables import every_method
from respec_core.methods.registry import METHODS

ROWS = "pld,sam:auxiliary=none,recycling"
COPIES = "sam:auxiliary=none"


@pytest.fixture
def counted(tmp_path, capsys):
    def run(*words: str) -> str:
        command = ["table", "--atlas", str(atlas_of(1).folder), "--out", str(tmp_path / "out")]
        assert main([*command, *words]) == 0
        return capsys.readouterr().out

    return run


def test_a_table_has_the_replays_figures_and_is_counted_once(counted, tmp_path):
    atlas = atlas_of(1)
    told = counted("--rows", ROWS, "--against", "pld")
    texts = atlas.manifest.texts
    passes = {
        name: sum(len(replay(atlas.stage(text), configured(atlas, name, values)).rounds) for text in texts)
        for name, values in (("pld", {}), ("sam", {"auxiliary": "none"}))
    }
    tokens = TOKENS * len(texts)
    assert f"| `pld` | {tokens / passes['pld']:.2f} (" in told
    assert f"| `{COPIES}` | {passes['pld'] / passes['sam']:.2f} (" in told
    assert "× plain, **predicted**" in told
    assert "- `recycling`: recycling so set learns from rejected tokens" in told
    counts = tmp_path / "out" / "counts.jsonl"
    lines = counts.read_text().splitlines()
    assert len(lines) == 2 * len(texts)
    counts.write_text("\n".join(lines[:5]) + "\n" + lines[5][:9])  # cut off while it was written
    assert counted("--rows", ROWS, "--against", "pld") == told
    again = counts.read_text().splitlines()
    assert {json.loads(line)["key"] for line in again} == {json.loads(line)["key"] for line in lines}
    assert (tmp_path / "out" / "table.md").read_text() == told


def test_every_method_has_its_papers_and_its_tuned_settings():
    rows = every_method()
    assert {"sam:preset=paper-eagle2", "respec-strict:preset=paper", "respec-strict:preset=tuned"} <= set(rows)
    assert {row.split(":")[0] for row in rows} == {method.name for method in METHODS if method.presets}


def test_what_is_wrong_is_said_in_a_sentence(tmp_path, capsys):
    command = ["table", "--atlas", str(atlas_of(1).folder), "--out", str(tmp_path)]
    for words, says in (
        (["--rows", "nothing"], "no method 'nothing'"),
        (["--rows", "pld:n=1"], "has no setting 'n'"),
        (["--rows", "pld", "--against", "sam"], "is none of the rows"),
        (["--rows", ","], "at least one method"),
    ):
        assert main([*command, *words]) == 2
        assert says in capsys.readouterr().err
    (tmp_path / "counts.jsonl").write_text("[1]\n")
    assert main([*command, "--rows", "pld"]) == 2
    assert "holds no counts of a table" in capsys.readouterr().err

"""The atlas that comes with the page: of today's prompts, readable without a model, and small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from respec_core.bench.questions import read_questions
from respec_core.lab.atlas import Atlas
from respec_core.lab.sweep import configured
from respec_core.models.assets import ASSETS
from respec_core.models.registry import find_target

FOLDER = ASSETS / "atlas"
MOST_MB = 12


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    return Atlas.open(FOLDER)


def test_it_holds_six_kinds_of_today_s_prompts(atlas):
    asked = {question.id: question for question in read_questions(ASSETS / "bench" / "questions.jsonl")}
    kinds = [entry.kind for entry in atlas.manifest.texts]
    assert len(set(kinds)) == 6
    assert all(kinds.count(kind) >= 2 for kind in kinds)  # an interval needs two
    for entry in atlas.manifest.texts:
        text = atlas.stage(entry).text
        assert asked[entry.id].kind == entry.kind
        assert asked[entry.id].text in text.words.prompt


def test_it_was_recorded_from_the_embedded_model_in_fp32(atlas):
    assert atlas.manifest.target["name"] == find_target("smollm2-135m").name
    assert atlas.manifest.target["dtype"] == "fp32"
    assert atlas.target.costs is not None


def test_the_default_settings_can_be_replayed_on_it(atlas):
    for method in ("respec-strict", "sam", "pld", "diffuspec"):
        assert configured(atlas, method, {}).stopping.max_new_tokens == 96
    assert configured(atlas, "eagle2", {"top_k": 8}).params["top_k"] == 8


def test_every_token_reads_as_text(atlas):
    for entry in atlas.manifest.texts:
        text = atlas.stage(entry).text
        assert set(text.output_ids) <= set(text.words.by_id)
        assert "".join(text.words.texts).strip()


def test_it_is_small_and_whole():
    files = [path for path in Path(FOLDER).iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_MB * 2**20
    assert {path.suffix for path in files} == {".json", ".safetensors"}


def test_replays_do_without_the_model_s_library():
    """It takes seconds to load, which the Lab's first visitor would wait for."""
    code = """
import sys
from respec_core.lab.atlas import Atlas
from respec_core.lab.replay import replay
from respec_core.lab.sweep import configured
from app.lab.sets import FOLDER
atlas = Atlas.open(FOLDER)
stage = atlas.stage(atlas.manifest.texts[0])
for method in ("respec-strict", "diffuspec"):
    replay(stage, configured(atlas, method, {"max_new_tokens": 8}))
sys.exit("transformers" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""Predicted beside measured time: what is predicted is the replay's, what is measured the run's, and both are told by term."""

from __future__ import annotations

import json

import pytest
from tiny import tiny_head
from tiny_atlas import PROMPTS, models_of, stage_of

from respec_core.engine.decoding import Request
from respec_core.lab.predicted import KINDS, ROWS, Pair, Spent, expected, main, spent, table
from respec_core.methods.registry import find_method
from respec_core.methods.running import complete
from respec_core.models.language_model import load_model

TREES = {"max_new_tokens": 24, "budget": "own", "fallback_depth": 4}


def test_both_sides_add_up_to_the_whole():
    config, stage = find_method("respec-strict").configure(TREES), stage_of(1, 5)
    run = complete(Request(config, PROMPTS[5]), models_of(1))
    told = spent(run)
    assert told.ms == pytest.approx(run.summary.wall_s * 1e3)
    assert min(told.forward, told.drafting, told.rest) > 0
    predicted, rounds = expected(stage, config)
    assert rounds == len(run.steps)
    assert predicted.rest == pytest.approx(rounds * stage.text.committing)
    assert predicted.forward + predicted.rest == pytest.approx(
        sum(stage.costs.ms(len(step.trees.final)) for step in run.steps)
    )
    plain, passes = expected(stage, find_method("vanilla").configure({"max_new_tokens": 24}))
    assert (passes, plain.drafting) == (24, 0)
    assert plain.forward == pytest.approx(24 * stage.text.forward)


def test_the_error_is_the_median_over_all_runs():
    runs = [
        Pair(kind, row, Spent(8.0 + 2 * i, 1, 1), Spent(8, 1, 1), (2, 2), i < 2)
        for i, kind in enumerate(("story", "rag", "summary"))
        for row in ROWS
    ]
    told = table(runs)
    assert "Median |error| of predicted time: 20.0%; by kind: story 0.0%, rag 20.0%, summary 40.0%." in told
    assert "| pld | 1.00 | 1.20 | 1.40 | 20.0% |" in told
    assert f"{len(ROWS)} texts left the recorded one" in told


def test_it_records_replays_and_decodes_by_itself(model_dir, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("respec_core.models.costs.CAREFUL", 0.1)
    tiny_head(load_model(model_dir, "cpu")).save(tmp_path / "head")
    asked = [{"question_id": i, "category": kind, "turns": ["abcabcabcabc"]} for i, kind in enumerate(KINDS[:2])]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, asked)))
    models = ["--model", model_dir, "--head", str(tmp_path / "head"), "--device", "cpu"]
    words = ["--questions", str(tmp_path / "q.jsonl"), "--max-new-tokens", "8", "--repeat", "1"]
    assert main([*models, *words]) == 0
    told = capsys.readouterr().out
    assert all(f"| {row} |" in told for row in ROWS)
    assert "copy_code" in told and "Median |error|" in told
    assert main([*models, "--atlas", str(tmp_path)]) == 2
    assert "holds no atlas" in capsys.readouterr().err

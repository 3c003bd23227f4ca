"""A replay as a trace: sound, and the real run's but for what no recording holds."""

from __future__ import annotations

import pytest
from test_outcome import CONFIG, LENGTH, PROMPTS, atlas, models

from respec_core.engine.decoding import Request
from respec_core.lab.outcome import outcome, predicted
from respec_core.lab.retold import VARIANT, retold, rounds_of
from respec_core.methods.registry import find_method
from respec_core.methods.running import complete
from respec_core.methods.traces import parse_trace, violations
from respec_core.trace.benefit import benefit

__all__ = ["atlas"]  # a fixture


def test_its_rounds_are_those_of_the_run(atlas):
    for entry, prompt in zip(atlas.manifest.texts, PROMPTS.values(), strict=True):
        told, run = retold(atlas, atlas.stage(entry), CONFIG), complete(Request(CONFIG, prompt), models())
        assert (told.output_ids, told.finish_reason, told.prompt_ids) == (run.output_ids, run.finish_reason, prompt)
        assert told.run_id != run.run_id and told.variant == VARIANT
        for mine, theirs in zip(told.steps, run.steps, strict=True):
            assert mine.commit.path_node_ids == theirs.commit.path_node_ids
            assert mine.decision.chosen == theirs.decision.chosen
            for node, real in zip(mine.trees.final, theirs.trees.final, strict=True):
                assert (node.token, node.parent, node.outcome) == (real.token, real.parent, real.outcome)
                known = (real.target_rank or 9) <= 5
                assert (node.target_p is not None) == known
                assert not known or node.target_p == pytest.approx(real.target_p, abs=1e-5)
        for token, real in zip(told.tokens, run.tokens, strict=True):
            assert (token.id, token.rank, token.outcome, token.source) == (real.id, 1, real.outcome, real.source)
            assert token.entropy == pytest.approx(real.entropy, abs=1e-4)


def test_it_is_a_sound_trace_and_can_be_opened(atlas):
    told = retold(atlas, atlas.stage(atlas.manifest.texts[0]), CONFIG)
    assert violations(parse_trace(told.to_json())) == []


@pytest.mark.parametrize("size", ["own", 5, "auto"])
def test_whether_it_pays_is_told_alike_in_the_lab_and_where_traces_are_read(atlas, size):
    config = find_method("respec-strict").configure({**LENGTH, "budget": size, "fallback_depth": 2})
    for entry in atlas.manifest.texts:
        stage = atlas.stage(entry)
        read = benefit(retold(atlas, stage, config))
        assert read is not None
        if size == "auto":
            continue  # the clock goes as the machine's curve says, not this text's
        told = predicted([outcome(stage, entry.id, entry.kind, config)])
        assert read.sentence() == told.sentence()
        assert read.ratio == pytest.approx(told.ratio)


def test_a_position_lies_in_the_round_that_wrote_it(atlas):
    told = retold(atlas, atlas.stage(atlas.manifest.texts[0]), CONFIG)
    for i, token in enumerate(told.tokens):
        assert rounds_of(told, i) == token.round
    assert rounds_of(told, 9999) == told.tokens[-1].round

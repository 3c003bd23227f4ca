"""What settings come to on texts: the numbers of the real runs, their sums, and whether drafting pays."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tiny import COSTS, tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.lab.atlas import Atlas, AtlasWriter, manifest_of
from respec_core.lab.outcome import Outcome, PlayedRound, kinds, outcome, predicted, summed
from respec_core.lab.recording import record
from respec_core.methods.eagle.recording import HeadRecording
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete

PROMPTS = {"copy": (5, 6, 7, 8, 5, 6, 7, 8, 5, 6), "chat": (9, 8, 7)}
LENGTH = {"max_new_tokens": 24}
CONFIG = find_method("respec-strict").configure({**LENGTH, "budget_rule": "own", "fallback_depth": 2})


@cache
def models() -> Models:
    target = tiny_model(seed=1)
    return Models(target, tiny_head(target))


@pytest.fixture
def atlas(tmp_path) -> Atlas:
    plain, options = find_method("vanilla").configure(LENGTH), {"head": HeadRecording(widths=(8,), depth=2)}
    writer = AtlasWriter(tmp_path, manifest_of(models(), plain, options, "prompts"))
    for kind, prompt in PROMPTS.items():
        writer.add(kind, kind, record(Request(plain, prompt), models(), options))
    return Atlas.open(tmp_path)


def outcomes(atlas: Atlas) -> list[Outcome]:
    return [outcome(atlas.stage(entry), entry.id, entry.kind, CONFIG) for entry in atlas.manifest.texts]


def test_a_text_s_numbers_are_those_of_the_run(atlas):
    for found, prompt in zip(outcomes(atlas), PROMPTS.values(), strict=True):
        run = complete(Request(CONFIG, prompt), models())
        assert (found.tokens, len(found.rounds)) == (len(run.tokens), len(run.steps))
        for played, step in zip(found.rounds, run.steps, strict=True):
            assert played.nodes == len(step.trees.final) - 1
            assert played.accepted == step.commit.n_accepted == len(played.needed)
            assert played.deepest == max(node.depth for node in step.trees.final)
            assert played.chosen == step.decision.chosen
        assert found.forward_ms == pytest.approx(sum(found.costs.ms(len(step.trees.final)) for step in run.steps))


def test_a_round_costs_what_this_text_s_forwards_say(atlas):
    stage = atlas.stage(atlas.manifest.texts[0])
    forward, commit = np.median(stage.text.forward_ms), np.median(stage.text.commit_ms)
    assert forward > 0 < commit
    assert stage.costs.ms(1) == pytest.approx(forward + commit)
    assert stage.costs.ms(32) - commit == pytest.approx(forward * COSTS.ms(32) / COSTS.ms(1))
    assert replace(stage, target=replace(stage.target, costs=None)).costs is None


def test_sums_have_an_interval_where_there_are_two_prompts(atlas):
    found = outcomes(atlas)
    whole = summed([one.tally for one in found])
    assert whole.total.tokens == sum(one.tokens for one in found)
    assert whole.mat[0] <= whole.total.mat <= whole.mat[1]
    assert whole.ratio[0] <= whole.total.ratio <= whole.ratio[1]
    alone = {kind: summed([one.tally for one in own]) for kind, own in kinds(found).items()}
    assert [*alone] == [*PROMPTS]
    assert all(one.mat is None and one.texts == 1 for one in alone.values())


def test_what_is_predicted_of_rounds_that_are_given():
    """Ten nodes a round, two accepted by the first four of them, drafting as dear as a forward."""
    round = PlayedRound(0, 3, "model", 10, 3, 2, True, (1, 4), 1.0)
    found = predicted([Outcome("a", "chat", 6, (round, round), COSTS)])
    assert (found.tokens, found.nodes, found.drafting, found.rest) == (3.0, 10.0, 1.0, 0.0)
    assert found.verify == COSTS.ms(11) / COSTS.ms(1)
    assert [size.tokens for size in found.sizes] == [2, 2, 2, *[3] * 7]
    assert found.best.nodes == 4
    assert "the rest" not in found.sentence()
    nothing = PlayedRound(0, 1, "none", 0, 0, 0, False, (), 0.0)
    assert predicted([Outcome("a", "chat", 1, (nothing,), COSTS)]) is None
    assert predicted([Outcome("a", "chat", 6, (round,), None)]) is None


def test_an_atlas_says_how_its_tokens_read(atlas):
    words = atlas.stage(atlas.manifest.texts[0]).text.words
    assert len(words.texts) == 24
    assert words.by_id[5] == "‹5›"  # these models have no tokenizer
    text = atlas.stage(atlas.manifest.texts[0]).text
    object.__setattr__(text, "spelt", text.spelt[:-1])
    with pytest.raises(ReSpecError, match="not JSON"):
        _ = text.words

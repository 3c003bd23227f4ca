"""A sweep has what every single replay has, though it does not play them all; margins say where a run stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_atlas import DEPTH, SEEDS, TOKENS, atlas_of, stage_of

from respec_core.errors import ReSpecError
from respec_core.lab import sweep as sweeping
from respec_core.lab.replay import replay
from respec_core.lab.sweep import SweepRow, configured, sweep
from respec_core.methods.margins import ANY, Margin, common
from respec_core.methods.registry import METHODS, find_method

THRESHOLDS = {"theta_entropy": st.floats(0, 5), "len_threshold": st.integers(1, 12)}
TRIGGER = st.fixed_dictionaries(
    {
        "switch": st.sampled_from(["gate", "gate", "adaptive"]),
        "normalised": st.booleans(),
        "lookback": st.integers(1, 6),
        "feedback": st.booleans(),
        "when_triggered": st.sampled_from(["both", "retrieval"]),
        "scored_by": st.sampled_from(["lineage", "position"]),
    }
)
HEAD = {"fallback_depth": DEPTH, "fallback_top_k": 8}
OTHERS = {
    "respec-strict": TRIGGER.map(lambda values: {**HEAD, **values}),
    "respec": TRIGGER.map(lambda values: {**HEAD, "rule": "strict", **values}),
    "diffuspec-retrieval": TRIGGER,
    "sam": st.fixed_dictionaries(
        {
            "auxiliary": st.sampled_from(["none", "eagle2"]),
            "auxiliary_depth": st.just(DEPTH),
            "len_bias": st.integers(0, 6),
        }
    ),
}
WITH_MARGINS = [method.name for method in METHODS if method.margins]


def test_every_method_with_margins_is_tried_here():
    assert set(WITH_MARGINS) == set(OTHERS)


@pytest.mark.parametrize("name", WITH_MARGINS)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_a_run_stays_as_it_is_within_its_margins_and_a_sweep_has_every_replay(name, data):
    (threshold,) = find_method(name).margins
    seed, others = data.draw(st.sampled_from(SEEDS)), data.draw(OTHERS[name])
    values = data.draw(st.lists(THRESHOLDS[threshold], min_size=2, max_size=6))
    atlas, stage = atlas_of(seed), stage_of(seed, data.draw(st.integers(0, 11)))
    configs = [configured(atlas, name, {"max_new_tokens": TOKENS, **others, threshold: v}) for v in values]
    runs = [replay(stage, config) for config in configs]
    told = find_method(name).margins[threshold]
    for value, config, run in zip(values, configs, runs, strict=True):
        margin = common(told, config.params, [round.decision for round in run.rounds])
        assert value in margin
        for other, theirs in zip(values, runs, strict=True):
            if other in margin:
                assert [(r.position, r.draft.tree, r.path) for r in run.rounds] == [
                    (r.position, r.draft.tree, r.path) for r in theirs.rounds
                ]
    texts = atlas.manifest.texts[4:6]
    tried = [SweepRow({threshold: v}, config) for v, config in zip(values, configs, strict=True)]
    sweep(atlas, tried, texts)
    for one in tried:
        each = [replay(atlas.stage(text), one.config) for text in texts]
        assert (one.total.tokens, one.total.passes) == (sum(e.tokens for e in each), sum(len(e.rounds) for e in each))


def test_thresholds_that_make_no_difference_are_played_once(monkeypatch):
    played = []
    monkeypatch.setattr(sweeping, "replay", lambda stage, config: played.append(config) or replay(stage, config))
    atlas = atlas_of(1)
    same = {"max_new_tokens": TOKENS, "fallback": "none"}
    thetas = [0.0, 10.0, 11.0, 12.0]
    tried = [
        SweepRow({}, configured(atlas, "respec-strict", {**same, "switch": switch, "theta_entropy": theta}))
        for switch in ("adaptive", "gate")
        for theta in thetas
    ]
    sweep(atlas, tried, atlas.manifest.texts[5:6])
    assert [config.params["switch"] for config in played] == ["adaptive", "gate", "gate"]


def test_processes_that_share_the_texts_find_the_same():
    atlas, values = atlas_of(1), (0.5, 2.0)
    rows = []
    for processes in (1, 2):
        tried = [SweepRow({}, configured(atlas, "respec-strict", {"fallback": "none", "sure": v / 2})) for v in values]
        sweep(atlas, tried, atlas.manifest.texts, processes=processes)
        rows.append([one.total for one in tried])
    assert rows[0] == rows[1]
    worse = [SweepRow({}, configured(atlas, "eagle2", {"top_k": 5}))]
    with pytest.raises(ReSpecError, match="not of width 5"):
        sweep(atlas, worse, atlas.manifest.texts, processes=2)


def test_margins_meet():
    assert Margin(1, 5) & Margin(2, 9) == Margin(2, 5)
    assert 2 in Margin(2, 5) and 5 not in Margin(2, 5)
    assert common(lambda params, decision: Margin(), {}, []) == ANY

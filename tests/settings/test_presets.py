"""Where settings start from: sizes by the clock unless something else is asked for, and the papers' by name."""

from __future__ import annotations

import pytest
from tiny import StubModel, one_hot

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.settings.presets import EVERYWHERE

DRAFTING = [method.name for method in METHODS if method.name != "vanilla"]


@pytest.mark.parametrize("name", DRAFTING)
def test_sizes_follow_the_clock_unless_the_papers_are_asked_for(name):
    method = find_method(name)
    assert method.configure().drafting.budget_rule == "auto"
    assert method.configure(preset="auto") == method.configure()
    for own in ("paper", "tuned"):
        config = method.configure(preset=own)
        assert config.drafting.budget_rule == "own"
        assert config.sampling == method.configure().sampling


def test_the_papers_own_shapes_and_sizes():
    assert find_method("diffuspec").configure(preset="paper").params["shape"] == "chain"
    respec = find_method("respec-strict").configure(preset="paper").params
    assert (respec["fallback_nodes"], respec["fallback_depth"], respec["fallback_top_k"]) == (60, 5, 10)
    assert (respec["switch"], respec["theta_entropy"], respec["s0"], respec["theta_score"]) == ("gate", 1.5, 0.5, 0.5)
    eagle2 = find_method("eagle2").configure(preset="paper").params
    assert (eagle2["total_tokens"], eagle2["depth"], eagle2["top_k"]) == (60, 5, 10)
    sam = {name: find_method("sam").configure(preset=name).params for name in ("paper", "paper-eagle2")}
    assert [sam["paper"][n] for n in ("auxiliary", "auxiliary_nodes", "occurrence")] == ["recycling", 61, "first"]
    headline = [sam["paper-eagle2"][f"auxiliary{part}"] for part in ("", "_nodes", "_depth", "_top_k")]
    assert headline == ["eagle2", 63, 5, 8]
    assert all((p["n_predicts"], p["len_threshold"], p["len_bias"]) == (40, 5, 5) for p in sam.values())


@pytest.mark.parametrize(
    ("name", "values", "asked", "preset", "changed"),
    [
        ("sam", {}, None, "auto", {}),
        ("sam", {"auxiliary": "none"}, "paper", "paper", {"auxiliary": "none"}),
        ("eagle2", {"budget": "own"}, None, "paper", {}),
        ("eagle2", {"budget": 24}, "tuned", "tuned", {"budget_rule": "fixed", "budget": 24}),
        ("pld", {"temperature": 0.7, "max_new_tokens": 9}, "tuned", "tuned", {}),
        ("respec", {"rule": "strict"}, None, "auto", {"rule": "strict"}),
        ("vanilla", {}, "paper", None, {}),
    ],
)
def test_a_configuration_says_which_preset_it_stands_on(name, values, asked, preset, changed):
    method = find_method(name)
    standing = method.standing(method.configure(values, asked), asked)
    assert (standing.preset, dict(standing.changed)) == (preset, changed)
    if asked is None:
        assert method.standing(method.configure(values)) == standing


@pytest.mark.parametrize(
    ("values", "rule", "size"),
    [
        ({"budget": 7}, "fixed", 7),
        ({"budget": "auto"}, "auto", 32),
        ({"budget": "own"}, "own", 32),
        ({"budget_rule": "fixed"}, "fixed", 32),
        ({"budget_rule": "own", "budget": 7}, "own", 7),
    ],
)
@pytest.mark.parametrize("preset", [None, *EVERYWHERE])
def test_single_settings_win_over_a_preset(values, rule, size, preset):
    drafting = find_method("diffuspec").configure(values, preset).drafting
    assert (drafting.budget_rule, drafting.budget) == (rule, size)
    assert find_method("diffuspec").configure({"shape": "beams"}, preset).params["shape"] == "beams"


def test_an_unknown_preset_is_refused():
    with pytest.raises(ReSpecError, match="no preset 'fast'; there are: auto, paper, tuned"):
        find_method("pld").configure(preset="fast")


def test_plain_decoding_has_no_size_and_measures_nothing():
    vanilla = find_method("vanilla")
    assert vanilla.configure() == vanilla.configure(preset="paper")
    assert vanilla.configure() == vanilla.configure(preset="auto") == vanilla.configure(preset="tuned")

    class Unmeasured(StubModel):
        @property
        def costs(self):
            raise AssertionError("plain decoding asked what forwards cost")

        @costs.setter
        def costs(self, value):
            pass

    config = vanilla.configure({"budget": "auto", "max_new_tokens": 4})
    run = complete(Request(config, (1, 2)), Models(Unmeasured(lambda ids: one_hot(3))))
    assert all(step.decision.sizing is None for step in run.steps)

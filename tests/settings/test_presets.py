"""Where settings start from: sizes by the clock unless something else is asked for, and the papers' by name."""

from __future__ import annotations

import pytest
from tiny import StubModel, one_hot

from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.registry import METHODS, PRESETS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete

DRAFTING = [method.name for method in METHODS if method.name != "vanilla"]


@pytest.mark.parametrize("name", DRAFTING)
def test_sizes_follow_the_clock_unless_the_papers_are_asked_for(name):
    method = find_method(name)
    assert method.configure().drafting.budget_rule == "auto"
    assert method.configure(preset="auto") == method.configure()
    paper = method.configure(preset="paper")
    assert paper.drafting.budget_rule == "own"
    assert paper.sampling == method.configure().sampling


def test_the_papers_own_shapes_and_sizes():
    assert find_method("diffuspec").configure(preset="paper").params["shape"] == "chain"
    respec = find_method("respec-strict").configure(preset="paper").params
    assert (respec["fallback_nodes"], respec["fallback_depth"], respec["fallback_top_k"]) == (60, 5, 10)
    eagle2 = find_method("eagle2").configure(preset="paper").params
    assert (eagle2["total_tokens"], eagle2["depth"], eagle2["top_k"]) == (60, 5, 10)


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
@pytest.mark.parametrize("preset", [None, *PRESETS])
def test_single_settings_win_over_a_preset(values, rule, size, preset):
    drafting = find_method("diffuspec").configure(values, preset).drafting
    assert (drafting.budget_rule, drafting.budget) == (rule, size)
    assert find_method("diffuspec").configure({"shape": "beams"}, preset).params["shape"] == "beams"


def test_an_unknown_preset_is_refused():
    with pytest.raises(ReSpecError, match="no preset 'fast'; there are: auto, paper"):
        find_method("pld").configure(preset="fast")


def test_plain_decoding_has_no_size_and_measures_nothing():
    vanilla = find_method("vanilla")
    assert vanilla.configure(preset="paper") == vanilla.configure() == vanilla.configure(preset="auto")

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

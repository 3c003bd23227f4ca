"""A run's settings in short: preset, changes, and the form's values that make it again."""

from __future__ import annotations

from typing import Any

import pytest

from app.requests import build_request
from app.setup import setup_of
from app.showcases import showcase_run, showcases
from respec_core.methods.registry import METHODS, find_method
from respec_core.trace.schema import Run


def run_with(method: str, preset: str | None = None, **values: Any) -> Run:
    config = find_method(method).configure(values, preset)
    run = showcase_run("story-pld")
    assert run is not None
    return run.model_copy(update={"method": method, "config": config.model_dump(mode="json")})


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_defaults_are_told_as_their_preset_and_nothing_changed(method: str) -> None:
    setup = setup_of(run_with(method).settings)
    assert setup["changed"] == [] and setup["values"] == {}
    presets = find_method(method).presets
    assert setup["preset"] == (presets[0].name if presets else "")


def test_what_was_changed_is_told_in_the_forms_words() -> None:
    setup = setup_of(run_with("pld", "paper", num_pred=7, temperature=0.5, stop=["a\n"], ignore_eos=True).settings)
    told = {setting["label"]: setting["value"] for setting in setup["changed"]}
    assert setup["preset"] == "paper"
    assert told["Temperature"] == "0.5" and told["Stop strings"] == "'a\\n'" and told["Ignore end of text"] == "on"
    assert "7" in told.values() and "Draft size" not in told  # the preset's own


@pytest.mark.parametrize("name", showcases())
def test_the_values_make_the_run_again(name: str) -> None:
    run = showcase_run(name)
    assert run is not None
    setup = setup_of(run.settings)
    assert build_request("hello", setup["method"], setup["values"]).config == run.settings.model_copy(
        update={"params": {**find_method(run.method).configure().params, **run.settings.params}}
    )


def test_of_a_stranger_its_own_settings_are_told() -> None:
    run = run_with("pld")
    stranger = run.model_copy(
        update={"method": "other", "config": {**run.config, "method": "other", "params": {"x": 1.5}}}
    )
    setup = setup_of(stranger.settings)
    assert (setup["preset"], setup["values"]) == ("", {})
    assert setup["changed"] == [{"name": "x", "label": "x", "value": "1.5"}]

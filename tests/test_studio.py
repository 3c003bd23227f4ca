"""The public interface, on a tiny model."""

from __future__ import annotations

import subprocess
import sys

import pytest

import respec_core
from respec_core import ReSpecError, Run, Studio, read_trace
from respec_core.methods.registry import find_method
from respec_core.trace.events import Committed, RunFinished, RunStarted


@pytest.fixture(scope="module")
def studio(model_dir) -> Studio:
    return respec_core.load(model_dir, device="cpu")


def test_nothing_is_imported_before_it_is_used():
    check = "import sys, respec_core; held = set(sys.modules); respec_core.load; respec_core.read_trace; print("
    check += "'torch' in sys.modules, 'pydantic' in held)"
    printed = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["False", "False"]
    assert {"load", "Studio", "__version__"} <= set(dir(respec_core))
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        _ = respec_core.lode


def test_generate_save_read(studio, tmp_path):
    run = studio.generate("abcabcabc", method="respec-strict", theta_entropy=1.2, max_new_tokens=6, preset="paper")
    assert isinstance(run, Run)
    assert (run.method, len(run.output_ids), run.config["params"]["theta_entropy"]) == ("respec-strict", 6, 1.2)
    run.save(tmp_path / "run.json")
    assert read_trace(tmp_path / "run.json") == run
    run.save(str(tmp_path / "again.json"))
    with pytest.raises(ReSpecError, match="its folder does not exist"):
        run.save(tmp_path / "nowhere" / "run.json")


def test_stream_yields_the_events_of_a_run_and_can_be_closed(studio):
    config = find_method("pld").configure({"max_new_tokens": 5, "budget": "own"})
    events = list(studio.stream("abcabc", config, raw=True))
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunFinished)
    written = "".join(token.text for event in events if isinstance(event, Committed) for token in event.tokens)
    assert written == studio.generate("abcabc", config, raw=True).output_text
    stopped = studio.stream("abcabc", config)
    next(stopped)
    stopped.close()


def test_costs_are_measured_only_where_sizes_follow_the_clock(studio, monkeypatch):
    asked = []
    monkeypatch.setattr("respec_core.models.costs.cost_curve", lambda model, progress: asked.append(model))
    studio.prepare([find_method("sam").configure({"budget": "own"})])
    assert not asked
    studio.prepare([find_method("sam").configure({"budget": "own"}), find_method("sam").configure()])
    assert asked == [studio.models.target]


@pytest.mark.parametrize(
    ("prompt", "options", "said"),
    [
        ("a", {"method": "samm"}, "samm"),
        ("a", {"theta": 1}, "theta"),
        ("a", {"preset": "papyrus"}, "papyrus"),
        ("", {}, "empty"),
        ([], {}, "A chat is"),
        ([{"role": "user", "content": "a"}], {}, "no chat template"),  # the tiny model has none
        ("a", {"method": find_method("pld").configure(), "seed": 1}, "whole configuration"),
    ],
)
def test_bad_input_is_a_sentence(studio, prompt, options, said):
    with pytest.raises(ReSpecError, match=said):
        studio.stream(prompt, **options)


def test_unknown_options_of_load_are_refused():
    with pytest.raises(ReSpecError, match=r"no option 'datastor'.*datastore"):
        respec_core.load(datastor="demo")

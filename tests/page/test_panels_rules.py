"""The panels of the lossy rules: a round's mask strip, and tokens per pass against divergences over a run."""

from __future__ import annotations

import pytest
from counting import counted

from app.panels.lossy_rules import SERIES, lossy_view, measured
from app.panels.mask_strip import strip_view
from app.panels.room import WHOLE
from respec_core.settings.verifying import VerifySettings
from respec_core.trace.placing import placed_rounds
from respec_core.trace.rule_estimate import RecordedRounds


def strips(run, room: int = WHOLE):
    return [strip_view(placed.step, placed.tokens, room) for placed in placed_rounds(run)]


def test_a_strip_shows_the_mask_the_gate_and_what_each_rule_takes():
    """The copy has 6 where the target likes 13 more, then both go on with 7; the relaxed rule spares digits."""
    view = next(
        view
        for view in strips(counted())
        if view and "FLy" in view["sentence"] and "not the target" in view["sentence"]
    )
    row = next(row for row in view["table"]["rows"] if row["wanted"] != "✓")
    assert (row["rank"], row["strict"], row["relaxed"], row["FLy"]) == (2, "✗", "✗", "≈")
    assert float(row["gate"]) == pytest.approx(0.70, abs=0.01)
    cells, gates = view["figures"]["mask strip"]["data"]
    assert set(cells["marker"]["color"]) <= {"var:accepted", "var:rejected", "var:surface"}
    passed = [i for i, mark in enumerate(cells["text"]) if mark == "≈"]
    assert {cells["marker"]["line"]["color"][i] for i in passed} == {"var:relaxed"}
    assert len(cells["x"]) == 4 * len(view["table"]["rows"])
    assert f"{row['gate']}" in gates["text"]
    assert view["figures"]["mask strip"]["alt"] == view["sentence"]


def test_a_round_of_a_lossy_run_shows_what_the_run_itself_took():
    """Its settings need not be the default ones that the rules are shown by."""
    run = counted(rule="fly", fly_window=1, fly_entropy=0.0, budget=4)
    views = list(zip(run.steps, strips(run), strict=True))
    told = [(step, view) for step, view in views if step.commit.n_relaxed]
    assert told
    for step, view in told:
        taken = [row["this run"] for row in view["table"]["rows"]]
        assert sum(mark in "✓≈" for mark in taken) == step.commit.n_accepted
        assert taken.count("≈") == step.commit.n_relaxed
    assert all("this run" not in view["table"]["rows"][0] for step, view in views if view and not step.commit.n_relaxed)


def test_a_round_without_a_chain_has_no_strip():
    assert not any(strips(counted("vanilla")))
    assert lossy_view(counted("vanilla")) is None
    assert not any(strips(counted(temperature=0.5))), "samples are no decisions"
    assert not any(strips(counted(look_ahead=False))), "nothing was recorded behind a rejection"
    assert lossy_view(counted(look_ahead=False)) is None


def test_a_strip_draws_no_more_than_there_is_room_for():
    views = [view for view in strips(counted(), room=3) if view]
    assert {len(view["figures"]["mask strip"]["layout"]["xaxis"]["tickvals"]) for view in views} <= {1, 2, 3}
    assert max(len(view["table"]["rows"]) for view in views) > 3


def test_the_plot_has_every_setting_and_says_that_it_is_an_estimate():
    run = counted()
    view = lossy_view(run)
    names = [trace["name"] for trace in view["figures"]["tokens per pass against divergences"]["data"]]
    assert names == [*(series.name for series in SERIES), "strict"]
    assert "only a run with the rule measures it" in view["sentence"]
    strict = next(row for row in view["table"]["rows"] if row["rule"] == "strict")
    assert strict["divergences"] == "0.0"
    whole = [step for step in run.steps if step.commit.extra is not None]
    assert float(strict["mat"]) == pytest.approx(sum(len(s.commit.emitted_ids) for s in whole) / len(whole), abs=0.005)
    fly = RecordedRounds.of(run).by(VerifySettings(rule="fly"))
    assert f"FLy {fly.tokens_per_pass:.2f} with {fly.per_hundred:.1f} divergences" in view["sentence"]


@pytest.mark.parametrize("rule", ["relaxed", "fly"])
def test_a_lossy_run_is_on_the_plot_as_measured(rule):
    run = counted(rule=rule, relax_digits=True)
    view = lossy_view(run)
    star = view["figures"]["tokens per pass against divergences"]["data"][-1]
    own = measured(run)
    assert (star["name"], star["x"], star["y"]) == ("this run, measured", [own.per_hundred], [own.tokens_per_pass])
    assert own.mismatches > 0
    assert view["table"]["rows"][-1]["setting"] == rule

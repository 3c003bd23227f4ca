"""What a run shows, in plain words: true of it, and without the trade's."""

from __future__ import annotations

import pytest

from app.panels.story import HARDLY, ONE_BY_ONE, STRIPED, story
from app.showcases import showcase_run, showcases
from respec_core.engine.decoding import Request
from respec_core.methods.registry import METHODS, find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.trace.round import LOSSY_ACCEPTS

JARGON = ("draft", "entropy", "verif", "accept", "speculat", "pass", "tree", "retriev")
PROMPT = tuple([5, 6, 7, 8, 9, 10, 11] * 3)


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_every_method_has_a_story_that_fits_its_run(method: str, tiny_models: Models) -> None:
    run = complete(Request(find_method(method).configure({"budget": "own", "max_new_tokens": 24}), PROMPT), tiny_models)
    said = story(run)
    assert 0 < len(said) <= 240
    assert not [word for word in JARGON if word in said.lower()]
    drafted = any(len(step.trees.final) > 1 for step in run.steps)
    assert (said == ONE_BY_ONE) is not drafted
    lossy = any(token.outcome in LOSSY_ACCEPTS for token in run.tokens)
    assert (STRIPED in said) is lossy
    if not lossy and drafted:
        assert (HARDLY in said) is (len(run.tokens) < 1.25 * len(run.steps))


def test_nothing_is_told_before_the_first_round(tiny_models: Models) -> None:
    run = complete(Request(find_method("pld").configure({"max_new_tokens": 0}), PROMPT), tiny_models)
    assert story(run) == ""


@pytest.mark.parametrize("name", showcases())
def test_recorded_runs_say_who_guesses(name: str) -> None:
    run = showcase_run(name)
    assert run is not None
    said = story(run)
    if run.method == "rasd":
        assert "small helper" in said and "copies earlier text" in said
    if run.method == "pld":
        assert said.startswith("What may come next is copied from earlier text")

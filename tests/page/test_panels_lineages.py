"""The panel of lineages, and what the retrieval panel says of resumed copies."""

from __future__ import annotations

import pytest
from tiny import StubModel, one_hot

from app.panels.lineages import lineages, lineages_view
from app.panels.retrieval import retrieval_view
from app.panels.trigger import trigger_view
from respec_core.engine.decoding import Request
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.trace.schema import Run

TEXT = tuple(range(10, 50))


def deviating(**values) -> Run:
    """A copy of the prompt in which every tenth token is another."""

    def script(ids) -> list[float]:
        done = len(ids) - len(TEXT)
        return one_hot(done % 8 if done % 10 == 9 else TEXT[done % len(TEXT)], size=64)

    values = {"budget": "own", "max_new_tokens": 39, "fallback": "none"} | values
    config = find_method("respec-strict").configure(values)
    return complete(Request(config, TEXT), Models(StubModel(script, vocab_size=64)))


def test_lineages_are_what_the_hits_say() -> None:
    run = deviating()
    best = lineages(run)[0]
    assert best.key[:2] == (True, len(TEXT))
    hits = [hit for step in run.steps for hit in step.retrieval if hit.proposed]
    assert sum(one.accepted for one in lineages(run)) == sum(hit.accepted for hit in hits)
    assert sum(len(one.resumes) for one in lineages(run)) == sum(hit.resumed for hit in hits) > 0


@pytest.mark.parametrize("feedback", [True, False])
def test_the_view_tells_scores_resumes_and_whether_scores_move(feedback: bool) -> None:
    run = deviating(feedback=feedback)
    view = lineages_view(run)
    assert view is not None
    brought = sum(hit.accepted for step in run.steps for hit in step.retrieval if hit.resumed)
    assert (f"brought {brought} of these" in view["sentence"]) == feedback  # without it none is resumed
    assert ("Feedback is off" in view["sentence"]) != feedback
    lines = [trace for trace in view["figures"]["Score by round"]["data"] if trace["name"] != "resumed"]
    assert (len({y for trace in lines for y in trace["y"]}) > 1) == feedback
    assert view["table"]["rows"][0]["accepted"] == lineages(run)[0].accepted
    assert lineages_view(deviating(scored_by="position")) is None


def test_a_round_that_resumed_a_copy_says_so() -> None:
    run = deviating()
    step = next(step for step in run.steps for hit in step.retrieval if hit.resumed and hit.accepted)
    view = retrieval_view(step)
    assert view is not None
    assert f"resumed {len(TEXT)} tokens back" in view["note"]
    assert f"↻ {len(TEXT)} back" in [row["reads"] for row in view["rows"]]
    off = deviating(feedback=False).steps
    notes = [view["note"] for step in off if (view := retrieval_view(step)) and any(h.proposed for h in step.retrieval)]
    assert notes
    assert all("Feedback is off" in note for note in notes)


def test_the_trigger_shows_what_was_weighed() -> None:
    step = next(step for step in deviating(fallback="recycling").steps if step.decision.options and step.decision.H)
    view = trigger_view(step.decision)
    assert view is not None
    assert "copies" in view["sentence"]
    assert "both" in view["sentence"]
    assert "layout" in view["figure"]
    assert "shapes" not in view["figure"]["layout"] or not view["figure"]["layout"]["shapes"]

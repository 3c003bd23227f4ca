"""Where rounds stand: they follow each other on the output and on the clock, and share out every token."""

from __future__ import annotations

from itertools import pairwise

import pytest

from app.showcases import SHOWCASES, showcase_run
from respec_core.trace.placing import placed_rounds


@pytest.mark.parametrize("name", [showcase.name for showcase in SHOWCASES])
def test_rounds_stand_behind_each_other(name):
    run = showcase_run(name)
    rounds = list(placed_rounds(run))
    assert (rounds[0].start, rounds[0].start_ms) == (0, 0)
    assert all((a.end, a.end_ms) == (b.start, b.start_ms) for a, b in pairwise(rounds))
    assert [round.step for round in rounds] == list(run.steps)
    assert [token for round in rounds for token in round.tokens] == list(run.tokens)
    assert all(len(round.tokens) == len(round.step.commit.emitted_ids) for round in rounds)
    spent = sum(ms for step in run.steps for ms in step.phase_ms.values())
    assert rounds[-1].end_ms == pytest.approx(spent)


def test_where_tokens_run_short_the_last_rounds_have_fewer():
    run = showcase_run(SHOWCASES[0].name)
    short = run.model_copy(update={"tokens": run.tokens[:1]})
    assert [len(round.tokens) for round in placed_rounds(short)] == [1] + [0] * (len(run.steps) - 1)

"""The table of forward times has every kind and size."""

from __future__ import annotations

import pytest
from tiny import tiny_model

from respec_core.bench.forwards import SIZES, main, sessions, table, times
from respec_core.models.graphs import tried
from respec_core.models.lean.capturing import called
from respec_core.models.lean.int8 import processor_has_it
from respec_core.models.lean.placed_session import PlacedSession
from respec_core.models.lean.session import LeanSession
from respec_core.models.session import Session


@pytest.mark.skipif(not processor_has_it(), reason="int8 needs an x86 processor")
def test_three_kinds_are_timed_in_turn():
    found = sessions(tiny_model(), 20)
    assert [type(session) for session in found.values()] == [Session, LeanSession, LeanSession]
    best = times(found, repeats=1)
    assert all(0 < best[kind][size] < float("inf") for kind in found for size in SIZES)


@pytest.mark.skipif(not processor_has_it(), reason="int8 needs an x86 processor")
def test_a_card_has_a_row_of_captured_graphs():
    model = tiny_model()
    model.places = tried(model, lambda: called)
    found = sessions(model, 20)
    assert [*found][-1] == "fp32, captured"
    assert [type(session) for session in found.values()].count(PlacedSession) == 1
    best = times(found, repeats=1)
    assert all(0 < best["fp32, captured"][size] < float("inf") for size in SIZES)


@pytest.mark.skipif(not processor_has_it(), reason="int8 needs an x86 processor")
def test_a_random_shape_runs_without_a_checkpoint(capsys):
    assert main(["--shape", "tiny", "--context", "9", "--repeat", "1"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("*tiny on ")
    assert "| fp32 | " in said and "| int8 | " in said


def test_the_table_divides_the_first_row_by_each():
    lines = table({"transformers": dict.fromkeys(SIZES, 30.0), "int8": dict.fromkeys(SIZES, 10.0)}).splitlines()
    assert lines[2].startswith("| transformers | 30.0 ms, 1.00× |")
    assert lines[3].startswith("| int8 | 10.0 ms, 3.00× |")


def test_odd_numbers_are_refused(capsys):
    assert main(["--repeat", "0"]) == 2
    assert "at least 1" in capsys.readouterr().err

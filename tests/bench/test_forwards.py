"""The table of forward times has every kind and size."""

from __future__ import annotations

import pytest
import torch
from tiny import tiny_model

from respec_core.bench.forwards import SIZES, main, sessions, table, times
from respec_core.models.lean.int8 import processor_has_it
from respec_core.models.lean.session import LeanSession
from respec_core.models.random_models import random_llama
from respec_core.models.session import Session


@pytest.mark.skipif(not processor_has_it(), reason="int8 needs an x86 processor")
def test_three_kinds_are_timed_in_turn():
    found = sessions(tiny_model(), 20)
    assert [type(session) for session in found.values()] == [Session, LeanSession, LeanSession]
    best = times(found, repeats=1)
    assert all(0 < best[kind][size] < float("inf") for kind in found for size in SIZES)


@pytest.mark.skipif(not processor_has_it(), reason="int8 needs an x86 processor")
def test_a_random_shape_runs_without_a_checkpoint(capsys):
    assert main(["--shape", "tiny", "--context", "9", "--repeat", "1"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("*tiny on ")
    assert "| fp32 | " in said and "| int8 | " in said


@pytest.mark.parametrize(("shape", "billions"), [("llama-1b", 1.24), ("llama-8b", 8.03)])
def test_the_larger_shapes_are_those_of_the_models(shape, billions):
    model = random_llama(shape, "meta", "bf16")
    assert sum(weight.numel() for weight in model.network.parameters()) / 1e9 == pytest.approx(billions, abs=0.01)
    assert model.why_not_lean is None


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_without_a_card_one_sentence_says_so(capsys):
    assert main(["--device", "cuda", "--shape", "llama-8b", "--dtype", "bf16"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "error: There is no CUDA device here: use --device cpu.\n")


def test_the_table_divides_the_first_row_by_each():
    lines = table({"transformers": dict.fromkeys(SIZES, 30.0), "int8": dict.fromkeys(SIZES, 10.0)}).splitlines()
    assert lines[2].startswith("| transformers | 30.0 ms, 1.00× |")
    assert lines[3].startswith("| int8 | 10.0 ms, 3.00× |")


def test_odd_numbers_are_refused(capsys):
    assert main(["--repeat", "0"]) == 2
    assert "at least 1" in capsys.readouterr().err

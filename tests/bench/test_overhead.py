"""The measurement of a round's overhead: what is counted where. Its times are for reading."""

from __future__ import annotations

import pytest

from respec_core.bench.overhead import Overhead, measure, table
from respec_core.engine.decoding import Request
from respec_core.methods.registry import BASELINE


def test_every_method_has_its_phases_beside_plain_decoding(tiny_models):
    request = Request(BASELINE.configure({"max_new_tokens": 6}), (5, 6, 7, 8, 5, 6))
    rows = measure(request, tiny_models, ["pld", "diffuspec"], repeats=2)
    assert [row.method for row in rows] == ["vanilla", "pld", "diffuspec"]
    assert all(row.forward > 0 and row.outside > 0 and "verify" not in row.phases for row in rows)
    assert {"draft", "search"} <= set(rows[2].phases)


def test_the_share_is_of_a_one_token_forward():
    rows = [Overhead("vanilla", 40.0, 1.0, {"commit": 1.0}), Overhead("pld", 50.0, 2.0, {"route": 0.001, "draft": 2.0})]
    assert table(rows).splitlines()[2:] == [
        "| `vanilla` | 40.00 ms | 1.00 ms | 2.5% | commit 1.00 |",
        "| `pld` | 50.00 ms | 2.00 ms | 5.0% | draft 2.00 |",
    ]


@pytest.mark.parametrize("option", [["--max-new-tokens", "-1"], ["--methods", "magic"], ["--repeat", "0"]])
def test_bad_options_are_one_line(option, model_dir, capsys):
    from respec_core.bench.overhead import main

    assert main(["--model", model_dir, "--datastore", "", *option]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("error: ")

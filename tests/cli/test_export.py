"""``export``: pages and graphs of a trace."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import networkx as nx
import pytest

from app.saved_page import saved_page
from respec_core.cli import main
from respec_core.methods.traces import read_trace

TRACE = Path(__file__).parents[2] / "assets" / "traces" / "story-sam.json"


def test_a_graph_goes_to_standard_output_or_a_file(tmp_path, capsys):
    assert main(["export", str(TRACE), "--graph", "json", "--round", "2"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert nx.utils.graphs_equal(nx.node_link_graph(printed, edges="edges"), read_trace(TRACE).graph(2))
    file = tmp_path / "round.graphml"
    assert main(["export", str(TRACE), "--graph", "graphml", "--out", str(file)]) == 0
    assert len(nx.read_graphml(file)) == len(read_trace(TRACE).steps[0].trees.final)
    assert capsys.readouterr().out == ""


def test_the_page_is_the_one_that_the_app_saves(tmp_path):
    file = tmp_path / "run.html"
    assert main(["export", str(TRACE), "--html", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == saved_page(read_trace(TRACE))
    assert read_trace(TRACE).run_id in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("options", [["--html"], ["--graph", "json", "--out"]])
def test_the_trace_itself_is_not_written_over(options, tmp_path, capsys):
    file = tmp_path / "run.json"
    file.write_bytes(TRACE.read_bytes())
    assert main(["export", str(file), *options, str(file)]) == 2
    assert "it is also what is read" in capsys.readouterr().err
    assert file.read_bytes() == TRACE.read_bytes()


def test_without_the_app_the_page_is_refused_in_a_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "app.saved_page", None)
    file = tmp_path / "run.html"
    assert main(["export", str(TRACE), "--html", str(file)]) == 2
    assert "in a checkout" in (said := capsys.readouterr().err)
    assert said.count("\n") == 1
    assert not file.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "one of the arguments --html --graph is required"),
        (["--graph", "dot"], "invalid choice"),
        (["--graph", "json", "--round", "999"], "There is no round 999"),
        (["--graph", "json", "--part", "retrieval"], "has no part"),
        (["--html", "x.html", "--round", "0"], "go with --graph"),
        (["--graph", "json", "--out", "no/such/folder"], "its folder does not exist"),
    ],
)
def test_bad_usage_is_one_line(options, said, capsys):
    try:
        code = main(["export", str(TRACE), *options])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert said in (told := capsys.readouterr().err)
    assert told.count("\n") == 1

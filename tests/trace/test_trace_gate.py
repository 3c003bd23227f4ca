"""The gate: a trace whose parts do not hang together is refused in one sentence that says where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_trace import small

from app.showcases import SHOWCASES
from respec_core.boundary.limits import MAX_NODES, MAX_TREE_NODES
from respec_core.boundary.untrusted_json import MAX_DEPTH
from respec_core.errors import ReSpecError
from respec_core.methods.traces import parse_trace, read_trace, registered
from respec_core.trace.gate import first_fault
from respec_core.trace.schema import Run

Change = Callable[[dict[str, Any]], object]


def at(path: str, value: Any) -> Change:
    """Sets what stands at ``path``."""

    def apply(data: Any) -> None:
        *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        for part in parents:
            data = data[part]
        data[last] = value

    return apply


STEP = "steps.0"
FINAL = f"{STEP}.trees.final"


def test_the_small_trace_and_every_recorded_one_pass() -> None:
    assert parse_trace(small()) == parse_trace(json.dumps(small()))
    for showcase in SHOWCASES:
        assert isinstance(read_trace(showcase.path), Run)


@pytest.mark.parametrize("tree", ["final", "drafter", "retrieval"])
@pytest.mark.parametrize(
    ("node", "value", "where"),
    [
        ("0.parent", 0, "0.parent: the first node is the root"),
        ("0.parent", 1, "0.parent: the first node is the root"),
        ("0.depth", 1, "0.depth: a node is one deeper"),
        ("0.id", 1, "0.id: nodes are numbered"),
        ("1.id", 0, "1.id: nodes are numbered"),
        ("1.parent", 1, "1.parent: a node hangs below an earlier one"),
        ("1.parent", -1, "1.parent: a node hangs below an earlier one"),
        ("1.depth", 2, "1.depth: a node is one deeper"),
        ("1.token", -1, "1.token"),
        ("1.token", 2**40, "1.token"),
        ("1.hit_ids", [7], "1.hit_ids: there is no such candidate"),
        ("1.draft_p", -0.5, "1.draft_p"),
    ],
)
def test_every_tree_hangs_together(tree: str, node: str, value: Any, where: str) -> None:
    refused(at(f"{STEP}.trees.{tree}.{node}", value), f"{STEP}.trees.{tree}.{where}")


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (f"{STEP}.commit.path_node_ids", [2], "commit.path_node_ids"),
        (f"{STEP}.commit.path_node_ids", [0], "commit.path_node_ids"),
        (f"{STEP}.commit.emitted_ids", [2], "tokens: the rounds emitted 1"),
        (f"{STEP}.decision.k_star", 2, "decision.k_star"),
        (f"{STEP}.decision.k_star", 0, "decision.k_star"),
        (f"{STEP}.decision.C", [1.0, 2.0], "decision.C"),
        (f"{STEP}.decision.H", [], "decision.k_star"),
        (f"{STEP}.phase_ms.verify", -1.0, "phase_ms"),
        (f"{STEP}.lattice.positions", [], "lattice.positions"),
        (f"{STEP}.lattice.positions.0.i", 1, "lattice.positions.0.i"),
        (f"{STEP}.lattice.positions.0.cand", [], "lattice.positions.0.cand"),
        (f"{STEP}.lattice.positions.0.M_i", 2, "lattice.positions.0.M_i"),
        (f"{STEP}.lattice.positions.0.M_i", 0, "lattice.positions.0.M_i"),
        (f"{STEP}.lattice.positions.0.cand.0.logp_dlm", 800.0, "logp_dlm"),
        (f"{STEP}.lattice.beams", [], "lattice.chosen"),
        (f"{STEP}.lattice.chosen", 1, "lattice.chosen"),
        (f"{STEP}.lattice.beams.0.tokens", [], "lattice.beams.0.tokens"),
        (f"{STEP}.lattice.beams.0.tokens", [2, 2], "lattice.beams.0.tokens"),
        (f"{STEP}.lattice.top1_path", [2, 2], "lattice.top1_path"),
        (f"{STEP}.lattice.passes.0.decided", [1], "lattice.passes.0"),
        (f"{STEP}.lattice.passes.0.cand", [], "lattice.passes.0"),
        (f"{STEP}.adl.ema_gen", float("inf"), "adl.ema_gen"),
        (f"{STEP}.adl.ema_gen", 1e308, "adl.ema_gen"),
        ("tokens.0.round", 1, "tokens.0.round"),
        ("tokens.0.p", float("nan"), "tokens.0.p"),
        ("seed", 10**400, "seed"),
        ("prompt_text", "\ud800", "prompt_text: the text is not Unicode"),
        ("output_text", "x" * 2**23, "output_text"),
        (f"{FINAL}.1.text", "x" * 2**20, "final.1.text"),
        ("config.sampling", None, "config.sampling: an object of settings"),
        ("config.sampling.temperature", None, "config.sampling.temperature: a number"),
        ("config.sampling.temperature", "0", "config.sampling.temperature: a number"),
        ("config.params", [], "config.params"),
        ("config.params", {"rho": "fast"}, "config.params.rho: a number"),
        ("config.params", {"length_normalised": 1}, "config.params.length_normalised: true or false"),
        ("config.stopping", {"stop": [1]}, "config.stopping.stop: a list of texts"),
        ("config.unknown", float("-inf"), "config.unknown"),
        ("models.target", None, "models.target"),
        ("models.target.name", "\udc00", "models.target.name"),
    ],
)
def test_whatever_is_read_by_index_or_as_a_number_is_there(path: str, value: Any, where: str) -> None:
    refused(at(path, value), where)


def test_two_candidates_with_one_id_are_refused() -> None:
    refused(lambda data: data["steps"][0]["retrieval"].append(data["steps"][0]["retrieval"][0]), "retrieval: two")


def test_sizes_are_bounded() -> None:
    root = small()["steps"][0]["trees"]["final"][0]

    def broad(data: dict[str, Any], nodes: int) -> None:
        children = [root | {"id": i, "parent": 0, "depth": 1} for i in range(1, nodes)]
        data["steps"][0]["trees"] = {"final": [root, *children]}

    refused(lambda data: broad(data, MAX_TREE_NODES + 1), "trees.final")
    refused(lambda data: at("config.deep", json.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH))(data), "nested more than")
    refused(lambda data: at("models.wide", {str(i): 0 for i in range(10_000)})(data), "models.wide: more than")

    data = small()
    broad(data, MAX_TREE_NODES)
    data["steps"][0] |= {"lattice": None, "retrieval": []}
    data["steps"][0]["commit"] |= {"path_node_ids": [], "emitted_ids": []}
    run = parse_trace(data | {"tokens": []})
    many = run.model_copy(update={"steps": run.steps * (MAX_NODES // MAX_TREE_NODES + 1)})
    assert first_fault(run, registered()) is None
    assert first_fault(many, registered()) == ("steps", f"the trees have more than {MAX_NODES} nodes together")


def test_unknown_settings_of_an_older_or_newer_program_are_welcome() -> None:
    data = small()
    data["config"] |= {"tuning": [1, 2], "params": {"retired": None, "theta_entropy": 99}}
    assert parse_trace(data).config["params"]["retired"] is None


def test_a_hostile_name_is_quoted_short_and_on_one_line() -> None:
    data = small() | {"\n<b>" + "x" * 500: 1}
    with pytest.raises(ReSpecError) as caught:
        parse_trace(data)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200
    with pytest.raises(ReSpecError, match=r"schema version 'x+…"):
        parse_trace(small() | {"schema_version": "x" * 500})


def test_a_device_without_end_is_too_large(tmp_path: Path) -> None:
    with pytest.raises(ReSpecError, match="larger than"):
        read_trace(Path("/dev/zero"))
    with pytest.raises(ReSpecError, match="cannot be read"):
        read_trace(tmp_path)


def refused(change: Change, where: str) -> None:
    data = small()
    change(data)
    with pytest.raises(ReSpecError) as caught:
        parse_trace(data)
    said = str(caught.value)
    assert said.startswith("The trace is malformed at ") and where in said
    assert said.endswith(".") and "\n" not in said and len(said) < 250

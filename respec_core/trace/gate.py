"""What the parts of a trace say about each other, as far as anything that reads one relies on it.

Trees hang together, indices point at something, sizes are bounded. Whether the values are *right* is another question,
asked by ``invariants.py`` of traces that passed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from respec_core.boundary.limits import MAX_CELLS, MAX_NODES
from respec_core.trace.extensions import Extensions
from respec_core.trace.record import Fault
from respec_core.trace.round import Decision, Node, Step
from respec_core.trace.schema import Run

MAX_TREE_DEPTH = 512


def first_fault(run: Run, extensions: Extensions) -> Fault | None:
    """Where ``run`` does not hang together, and how; None if it does."""
    return next(_faults(run, extensions), None)


def _faults(run: Run, extensions: Extensions) -> Iterator[Fault]:
    if fault := extensions.settings_fault(run.config):
        yield fault
    yield from _models(run.models)
    for number, step in enumerate(run.steps):
        yield from _within(f"steps.{number}", _step(step))
    rounds = len(run.steps)
    for number, token in enumerate(run.tokens):
        if token.round >= rounds:
            yield f"tokens.{number}.round", f"there are only {rounds} rounds"
    emitted = sum(len(step.commit.emitted_ids) for step in run.steps)
    if emitted != len(run.tokens):
        yield "tokens", f"the rounds emitted {emitted} tokens, but there are {len(run.tokens)}"
    yield from _sizes(run.steps)


def _within(place: str, faults: Iterable[Fault]) -> Iterator[Fault]:
    return ((f"{place}.{inner}" if inner else place, problem) for inner, problem in faults)


def _models(models: Mapping[str, Any]) -> Iterator[Fault]:
    for name, model in models.items():
        if not isinstance(model, Mapping):
            yield f"models.{name}", "a description of the model is expected"


def _sizes(steps: Sequence[Step]) -> Iterator[Fault]:
    trees = (tree for step in steps for tree in (step.trees.final, step.trees.drafter, step.trees.retrieval))
    if sum(len(tree or ()) for tree in trees) > MAX_NODES:
        yield "steps", f"the trees have more than {MAX_NODES} nodes together"
    if sum(record.cells for step in steps for record in step.records.values()) > MAX_CELLS:
        yield "steps", f"the methods' records have more than {MAX_CELLS} entries together"


def _step(step: Step) -> Iterator[Fault]:
    hits = {hit.id for hit in step.retrieval}
    if len(hits) < len(step.retrieval):
        yield "retrieval", "two candidates have the same id"
    trees = {"final": step.trees.final, "drafter": step.trees.drafter, "retrieval": step.trees.retrieval}
    for name, nodes in trees.items():
        yield from _within(f"trees.{name}", _tree(nodes or (), hits))
    last = len(step.trees.final) - 1
    if not all(1 <= node <= last for node in step.commit.path_node_ids):
        yield "commit.path_node_ids", f"the accepted nodes are among 1 … {last}" if last else "there was no draft"
    yield from _within("decision", _decision(step.decision))
    for name, record in step.records.items():
        yield from _within(name, record.faults())


def _tree(nodes: Sequence[Node], hits: set[int]) -> Iterator[Fault]:
    """Nodes are numbered in order, and each but the first hangs one below an earlier one."""
    for number, node in enumerate(nodes):
        if node.id != number:
            yield f"{number}.id", "nodes are numbered 0, 1, 2 …"
        elif number == 0 and node.parent != -1:
            yield "0.parent", "the first node is the root, whose parent is -1"
        elif number > 0 and not 0 <= node.parent < number:
            yield f"{number}.parent", "a node hangs below an earlier one"
        elif node.depth != (nodes[node.parent].depth + 1 if number else 0):
            yield f"{number}.depth", "a node is one deeper than its parent, and the root has depth 0"
        elif node.depth > MAX_TREE_DEPTH:
            yield f"{number}.depth", f"the tree is deeper than {MAX_TREE_DEPTH}"
        elif not hits.issuperset(node.hit_ids):
            yield f"{number}.hit_ids", "there is no such candidate in the round's retrieval"


def _decision(decision: Decision) -> Iterator[Fault]:
    windows = len(decision.H)
    if decision.k_star is not None and not 1 <= decision.k_star <= windows:
        yield "k_star", f"it names one of the windows in H, 1 … {windows}"
    if decision.C and len(decision.C) != windows:
        yield "C", f"a cost for each window in H is expected: {windows}"

"""Numbers that a reader is asked to work out, with what is right and how it comes about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.learn.recorded import telling_round
from app.learn.widget import Fields, Runs
from app.panels.labels import count, visible
from respec_core.errors import ReSpecError
from respec_core.trace.mean_lengths import spec_bench, with_bonus, without_bonus
from respec_core.trace.round import Node
from respec_core.trace.schema import Run


class AskFields(Fields):
    """Which number, of which run, round and node; round 0 is a telling one, node 0 its deepest."""

    ask: str
    trace: str
    round: int = 0
    node: int = 0
    say: str = ""


@dataclass(frozen=True)
class Asked:
    """What is given, the right number, and how it comes about."""

    given: str
    right: float
    because: str


def tokens_per_pass(fields: AskFields, runs: Runs) -> Asked:
    """Committed tokens ÷ target passes."""
    run = runs(fields.trace)
    tokens, passes = len(run.output_ids), len(run.steps)
    value = spec_bench(tokens, passes) or 0.0
    given = f"{count(tokens, 'token')} were committed in {passes} target passes."
    return Asked(given, value, f"{tokens} ÷ {passes} = {value:.2f}.")


def mean_with_bonus(fields: AskFields, runs: Runs) -> Asked:
    """1 + accepted ÷ rounds that drafted."""
    run = runs(fields.trace)
    accepted, drafts = _accepted(run), _drafts(run)
    value = with_bonus(accepted, drafts)
    if value is None:
        raise ReSpecError("No round of this run drafted: name another trace.")
    return Asked(_given(run), value, f"1 + {accepted} ÷ {drafts} = {value:.2f}.")


def mean_without_bonus(fields: AskFields, runs: Runs) -> Asked:
    """Accepted ÷ rounds that drafted."""
    run = runs(fields.trace)
    accepted, drafts = _accepted(run), _drafts(run)
    value = without_bonus(accepted, drafts)
    if value is None:
        raise ReSpecError("No round of this run drafted: name another trace.")
    return Asked(_given(run), value, f"{accepted} ÷ {drafts} = {value:.2f}.")


def seen_nodes(fields: AskFields, runs: Runs) -> Asked:
    """How many nodes of the draft tree a node sees: itself and its ancestors."""
    step = telling_round(runs(fields.trace), fields.round).step
    node = chosen_node(step.trees.final, fields.node)
    given = (
        f"Node {node.id} of round {step.i + 1} is ‘{visible(node.text)}’, {count(node.depth, 'step')} below the root."
    )
    because = f"Itself, {count(node.depth - 1, 'node')} between, and the root: {node.depth + 1}. Beside them it sees the whole committed text."
    return Asked(given, node.depth + 1, because)


def chosen_node(nodes: tuple[Node, ...], number: int) -> Node:
    """Node ``number``; the deepest for 0.

    Raises:
        ReSpecError: if there is none.
    """
    if not 0 <= number < len(nodes) or len(nodes) < 2:
        raise ReSpecError(f"This draft tree has the nodes 1 to {len(nodes) - 1}, not {number}.")
    return nodes[number] if number else max(nodes, key=lambda node: node.depth)


def _accepted(run: Run) -> int:
    return sum(step.commit.n_accepted for step in run.steps)


def _drafts(run: Run) -> int:
    return sum(len(step.trees.final) > 1 for step in run.steps)


def _given(run: Run) -> str:
    return (
        f"{len(run.output_ids)} tokens in {len(run.steps)} rounds; {_drafts(run)} of these drafted, and {_accepted(run)} drafted tokens were "
        "accepted."
    )


ASKS: dict[str, Callable[[AskFields, Runs], Asked]] = {
    "tokens-per-pass": tokens_per_pass,
    "mean-with-bonus": mean_with_bonus,
    "mean-without-bonus": mean_without_bonus,
    "seen-nodes": seen_nodes,
}

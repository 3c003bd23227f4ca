"""What is left of a run's draft trees where nodes are cut off.

Under the strict rule the accepted path of a cut tree is the recorded one as far as it was kept; each round counts for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from app.learn.goal import Reading
from respec_core.trace.round import Step
from respec_core.trace.schema import Run

NAMES = {
    "nodes_share": "the share of nodes that are kept",
    "tokens_share": "the share of accepted tokens that are kept",
    "tokens_per_pass": "tokens per target pass",
}
Cut = Callable[[Step], Collection[int]]  # ids of the nodes that may stay, where the node above does


def cut_reading(run: Run, value: float, label: str, cut: Cut) -> Reading:
    """What is left by ``cut``."""
    nodes = accepted = all_nodes = all_accepted = 0
    for step in run.steps:
        kept = _kept(step, cut(step))
        nodes += len(kept) - 1
        accepted += sum(node in kept for node in step.commit.path_node_ids)
        all_nodes += len(step.trees.final) - 1
        all_accepted += len(step.commit.path_node_ids)
    metrics = {
        "nodes_share": nodes / max(all_nodes, 1),
        "tokens_share": accepted / max(all_accepted, 1),
        "tokens_per_pass": 1 + accepted / len(run.steps),
    }
    said = (
        f"{nodes} of {all_nodes} nodes are sent to the target, {accepted} of {all_accepted} accepted tokens are among them: "
        f"{metrics['tokens_per_pass']:.2f} tokens per target pass."
    )
    return {"value": value, "label": label, "sentence": said, "metrics": metrics}


def _kept(step: Step, stay: Collection[int]) -> set[int]:
    """The root, and what hangs on it through nodes that stay."""
    kept = {0}
    for node in step.trees.final[1:]:
        if node.parent in kept and node.id in stay:
            kept.add(node.id)
    return kept

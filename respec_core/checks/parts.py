"""Trees and hits that a draft was made from say what became of them."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace import Run


def part_problems(run: Run) -> Iterator[str]:
    """Parts and hits without a fate, or with two."""
    for step in run.steps:
        for name, nodes in (("drafter", step.trees.drafter), ("retrieval", step.trees.retrieval)):
            for node in nodes or ():
                if node.kept == (node.pruned_by is not None):
                    yield f"round {step.i}: node {node.id} of the {name} tree is pruned without a reason, or kept with one"
                if node.parent >= node.id:
                    yield f"round {step.i}: node {node.id} of the {name} tree does not hang below an earlier node"
        for hit in step.retrieval:
            if hit.status == "drafter_pruned" and hit.accepted:
                yield f"round {step.i}: hit {hit.id} was pruned by the drafter, yet {hit.accepted} of its tokens were accepted"

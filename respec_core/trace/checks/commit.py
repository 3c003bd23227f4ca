"""What a round committed adds up and follows its tree; rounds follow one another."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.schema import Run


def commit_problems(run: Run) -> Iterator[str]:
    """Commits that do not add up or follow one another."""
    for step in run.steps:
        c, where = step.commit, f"round {step.i}"
        if c.n_accepted != c.n_strict + c.n_relaxed:
            yield f"{where}: n_accepted {c.n_accepted} is not n_strict {c.n_strict} + n_relaxed {c.n_relaxed}"
        if c.n_accepted != len(c.path_node_ids):
            yield f"{where}: n_accepted is not the length of the accepted path"
        if len(c.emitted_ids) != c.n_accepted + (c.extra is not None):
            yield f"{where}: emitted {len(c.emitted_ids)} tokens for {c.n_accepted} accepted"
        if not c.emitted_ids:
            yield f"{where}: emitted nothing"
        if c.extra is None and c.stopped is None:
            yield f"{where}: no token of the target although the run did not stop there"
        if any(node not in range(1, len(step.trees.final)) for node in c.path_node_ids):
            yield f"{where}: the accepted path names nodes that are not in the tree"
        elif tuple(step.trees.final[n].token for n in c.path_node_ids) != c.emitted_ids[: c.n_accepted]:
            yield f"{where}: emitted_ids do not follow the accepted path"
        if c.stopped is not None and step is not run.steps[-1]:
            yield f"{where}: stopped, yet more rounds follow"
    expected = len(run.prompt_ids)
    for step in run.steps:
        if step.ctx_len != expected:
            yield f"round {step.i}: ctx_len {step.ctx_len} is not prompt + emitted = {expected}"
        expected = step.ctx_len + len(step.commit.emitted_ids)

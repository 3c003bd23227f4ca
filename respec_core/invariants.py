"""What must hold in every trace; behind ``python -m respec_core check``. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from respec_core.diffusion.checks import lattice_problems, length_problems
from respec_core.trace import Run, Step

TOLERANCE = 1e-6


def violations(run: Run) -> list[str]:
    """Every broken invariant as one sentence; empty when the trace is sound."""
    return [f"{name}: {problem}" for name, check in CHECKS.items() for problem in check(run)]


def _output(run: Run) -> Iterator[str]:
    emitted = tuple(token for step in run.steps for token in step.commit.emitted_ids)
    if emitted != run.output_ids:
        yield "output_ids are not the concatenation of the rounds' emitted_ids"
    if tuple(token.id for token in run.tokens) != run.output_ids:
        yield "tokens[] do not carry output_ids"
    text = "".join(token.text for token in run.tokens)
    if text != run.output_text:
        yield "output_text is not the concatenation of the tokens' texts"
    owners = [step.i for step in run.steps for _ in step.commit.emitted_ids]
    if [token.round for token in run.tokens] != owners:
        yield "tokens[].round do not match the rounds that emitted them"
    if [step.i for step in run.steps] != list(range(len(run.steps))):
        yield "rounds are not numbered 0, 1, 2 …"


def _commit(run: Run) -> Iterator[str]:
    for step in run.steps:
        c, where = step.commit, f"round {step.i}"
        if c.n_accepted != c.n_strict + c.n_relaxed:
            yield f"{where}: n_accepted {c.n_accepted} is not n_strict {c.n_strict} + n_relaxed {c.n_relaxed}"
        if c.n_accepted != len(c.path_node_ids):
            yield f"{where}: n_accepted is not the length of the accepted path"
        if len(c.emitted_ids) != c.n_accepted + (c.extra is not None):
            yield f"{where}: emitted {len(c.emitted_ids)} tokens for {c.n_accepted} accepted"
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


def _tree(run: Run) -> Iterator[str]:
    for step in run.steps:
        yield from (f"round {step.i}: {problem}" for problem in _one_tree(step))


def _one_tree(step: Step) -> Iterator[str]:
    nodes, path = step.trees.final, step.commit.path_node_ids
    if [node.id for node in nodes] != list(range(len(nodes))):
        yield "node ids are not 0, 1, 2 …"
        return
    if not nodes or nodes[0].parent != -1:
        yield "the tree has no root"
        return
    for node in nodes[1:]:
        if not 0 <= node.parent < node.id or node.depth != nodes[node.parent].depth + 1:
            yield f"node {node.id} does not hang below an earlier node"
            return
        if not node.kept:
            yield f"node {node.id} was pruned but verified"
    if step.decision.budget is not None and len(nodes) - 1 > step.decision.budget:
        yield f"{len(nodes) - 1} nodes exceed the budget of {step.decision.budget}"
    parent = 0
    for i in path:
        if i >= len(nodes) or nodes[i].parent != parent:
            yield "accepted nodes are not one path from the root"
            return
        parent = i
    accepted = {0, *path}
    for node in nodes[1:]:
        good = node.outcome in ("strict_accept", "relaxed_accept")
        if good != (node.id in accepted):
            yield f"node {node.id} is {node.outcome} but {'not ' * (node.id not in accepted)}on the accepted path"
        if node.outcome == "rejected" and node.parent not in accepted:
            yield f"node {node.id} is rejected below a node that was not accepted (should be unreached)"
        if node.outcome == "unreached" and node.parent in accepted and step.commit.stopped is None:
            yield f"node {node.id} is unreached although its parent was accepted"


def _parts(run: Run) -> Iterator[str]:
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


def _lossless(run: Run) -> Iterator[str]:
    relaxed = sum(step.commit.n_relaxed for step in run.steps)
    if run.config.get("verify", {}).get("rule") == "strict":
        if relaxed:
            yield f"{relaxed} relaxed accepts under the strict rule"
        exact = run.models.get("target", {}).get("dtype") == "fp32" and run.finish_reason != "cancelled"
        greedy = run.config.get("sampling", {}).get("temperature") == 0
        if exact and greedy and run.reference_ar and run.reference_ar.output_ids != run.output_ids:
            yield "strict greedy output differs from plain decoding in fp32"


def _summary(run: Run) -> Iterator[str]:
    if run.summary is None:
        yield "there is no summary"
        return
    s, tokens, steps = run.summary, len(run.output_ids), len(run.steps)
    if (s.tokens, s.steps, s.target_passes) != (tokens, steps, steps):
        yield "tokens, steps or target_passes are miscounted"
    if abs(s.mat - (tokens / steps if steps else 0.0)) > TOLERANCE:
        yield f"mat {s.mat} is not tokens / steps"
    if s.relaxed_accepts != sum(step.commit.n_relaxed for step in run.steps):
        yield "relaxed_accepts are miscounted"
    spent = sum(sum(step.phase_ms.values()) for step in run.steps) / 1e3
    if spent > s.wall_s + 1e-3 * max(1, steps) * TOLERANCE + 1e-4:
        yield f"phases take {spent:.4f} s, more than the run's {s.wall_s:.4f} s"


def _routing(run: Run) -> Iterator[str]:
    for step in run.steps:
        d, where = step.decision, f"round {step.i}"
        if (
            d.rule == "entropy"
            and d.k_star is not None
            and d.theta is not None
            and d.triggered != (d.H[d.k_star - 1] <= d.theta)
        ):
            yield f"{where}: triggered is {d.triggered} but H_k* = {d.H[d.k_star - 1]:.4f} and θ = {d.theta}"
        if d.C:
            gap = [(c - h) * k for k, (h, c) in enumerate(zip(d.H, d.C, strict=False), 1)]
            if len(d.C) != len(d.H) or max(gap) - min(gap) > 1e-4:
                yield f"{where}: C_k is not H_k + λ/k"
            elif d.k_star is None or d.C[d.k_star - 1] > min(d.C) + TOLERANCE:
                yield f"{where}: k* does not minimise C_k"
        if d.match and d.rule == "match_len":
            best = max(d.match.dyn, (d.match.static or 0) - d.match.bias)
            if d.triggered != (best >= d.match.threshold):
                yield f"{where}: triggered is {d.triggered} but the match is {best} against {d.match.threshold}"


CHECKS: dict[str, Callable[[Run], Iterator[str]]] = {
    "output": _output,
    "commit": _commit,
    "tree": _tree,
    "parts": _parts,
    "lossless": _lossless,
    "summary": _summary,
    "routing": _routing,
    "lattice": lattice_problems,
    "adl": length_problems,
}

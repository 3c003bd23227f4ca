"""Decisions follow from the numbers they show."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace import Run

TOLERANCE = 1e-6


def decision_problems(run: Run) -> Iterator[str]:
    """Decisions that their own numbers contradict."""
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

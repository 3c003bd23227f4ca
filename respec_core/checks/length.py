"""What must hold in every round of the adaptive draft length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from respec_core.trace import ADL, DIFFUSION_SOURCE, Run, Step

TOLERANCE = 1e-6


def length_problems(run: Run) -> Iterator[str]:
    """Broken rules of the adaptive draft length."""
    before: ADL | None = None
    params = run.config.get("params", {})
    for step in run.steps:
        if step.adl is not None:
            yield from (f"round {step.i}: {problem}" for problem in _length(step, step.adl, before, params))
            before = step.adl


def _length(step: Step, adl: ADL, before: ADL | None, params: Mapping[str, Any]) -> Iterator[str]:
    if not adl.k_min <= adl.k_t <= adl.k_max:
        yield f"k_t {adl.k_t} is outside {adl.k_min} … {adl.k_max}"
    if adl.k_t != (adl.k_max if before is None else before.k_next):
        yield f"k_t {adl.k_t} is not what the round before asked for"
    if step.lattice is not None and adl.L_gen != (step.lattice.k if adl.s_t is None else adl.s_t - 1):
        yield f"L_gen {adl.L_gen} is not min(s_t − 1, positions)"
    if adl.L_acc != sum(DIFFUSION_SOURCE in step.trees.final[node].sources for node in step.commit.path_node_ids):
        yield f"L_acc {adl.L_acc} is not the number of accepted tokens that the diffusion model drafted"
    rho, delta = params.get("rho"), params.get("delta")
    if rho is None or delta is None:
        return
    gen, acc = (before.ema_gen, before.ema_acc) if before else (0.0, 0.0)
    gen, acc = (1 - rho) * gen + rho * adl.L_gen, (1 - rho) * acc + rho * adl.L_acc
    if abs(gen - adl.ema_gen) > TOLERANCE or abs(acc - adl.ema_acc) > TOLERANCE:
        yield "the averages do not follow from those of the round before"
    if adl.grew != (adl.ema_acc >= adl.ema_gen):
        yield f"grew is {adl.grew} but the averages are {adl.ema_acc:.3f} of {adl.ema_gen:.3f}"
    wanted = round(adl.ema_gen + delta * adl.grew)
    if adl.k_next != min(max(wanted, adl.k_min), adl.k_max):
        yield f"k_next {adl.k_next} is not clip({wanted}, {adl.k_min}, {adl.k_max})"

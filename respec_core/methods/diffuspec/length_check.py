"""What must hold in every round of the adaptive draft length (DiffuSpec, arXiv 2510.02358 §4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.methods.diffuspec.adl import LengthState
from respec_core.methods.diffuspec.record import ADL, Lattice
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import DIFFUSION_SOURCE

TOLERANCE = 1e-6


def length_problems(reading: Reading) -> Iterator[str]:
    """Broken rules of the adaptive draft length."""
    before: ADL | None = None
    for at in reading.rounds:
        adl, lattice = at.step.record(ADL), at.step.record(Lattice)
        if (adl is None) != (lattice is None):
            yield f"{at.where}: a lattice without its draft length, or a length without a lattice"
        if adl is not None:
            problems = (*_asked(reading, at, adl, before), *_followed(reading, adl, before))
            yield from (f"{at.where}: {problem}" for problem in problems)
            before = adl


def _asked(reading: Reading, at: RoundReading, adl: ADL, before: ADL | None) -> Iterator[str]:
    if not adl.k_min <= adl.k_t <= adl.k_max:
        yield f"k_t {adl.k_t} is outside {adl.k_min} … {adl.k_max}"
    if adl.k_t != (adl.k_max if before is None else before.k_next):
        yield f"k_t {adl.k_t} is not what the round before asked for"
    lattice = at.step.record(Lattice)
    if lattice is not None and lattice.k == len(lattice.positions) and all(p.cand for p in lattice.positions):
        ends = (i for i, position in enumerate(lattice.positions, 1) if position.cand[0].is_eos)
        if adl.s_t != next(ends, None):
            yield f"s_t {adl.s_t} is not the first end of text among the likeliest tokens"
        if adl.L_gen != (lattice.k if adl.s_t is None else adl.s_t - 1):
            yield f"L_gen {adl.L_gen} is not min(s_t − 1, positions)"
        if lattice.k > adl.k_t or (lattice.k < adl.k_t and lattice.k > reading.room(at.step)):
            yield f"{lattice.k} positions were filled, k_t is {adl.k_t}"
    if adl.L_acc != sum(DIFFUSION_SOURCE in node.sources for node in at.path):
        yield f"L_acc {adl.L_acc} is not the number of accepted tokens that the diffusion model drafted"


def _followed(reading: Reading, adl: ADL, before: ADL | None) -> Iterator[str]:
    params = reading.params
    if "rho" not in params:
        yield "the method adapts no draft length"
        return
    start = LengthState.start(params["k_min"], params["k_max"], params["delta"], params["rho"], adl.k_max)
    if (adl.k_min, adl.k_max) != (start.k_min, start.k_max):
        yield f"bounds {adl.k_min} … {adl.k_max} are not the settings', shrunk to what the drafter fills"
    if before is not None and (adl.k_min, adl.k_max) != (before.k_min, before.k_max):
        yield "the bounds changed during the run"
    rho, delta = params["rho"], params["delta"]
    gen, acc = (before.ema_gen, before.ema_acc) if before else (0.0, 0.0)
    gen, acc = (1 - rho) * gen + rho * adl.L_gen, (1 - rho) * acc + rho * adl.L_acc
    if abs(gen - adl.ema_gen) > TOLERANCE or abs(acc - adl.ema_acc) > TOLERANCE:
        yield "the averages do not follow from those of the round before"
    if adl.grew != (adl.ema_acc >= adl.ema_gen):
        yield f"grew is {adl.grew} but the averages are {adl.ema_acc:.3f} of {adl.ema_gen:.3f}"
    wanted = round(adl.ema_gen + delta * adl.grew)
    if adl.k_next != min(max(wanted, adl.k_min), adl.k_max):
        yield f"k_next {adl.k_next} is not clip({wanted}, {adl.k_min}, {adl.k_max})"

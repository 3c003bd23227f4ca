"""What must hold in every lattice: pruning and search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from respec_core.trace import Lattice, LatticePosition, Run

TOLERANCE = 1e-6


def lattice_problems(run: Run) -> Iterator[str]:
    """Broken rules of pruning and search."""
    for step in run.steps:
        if step.lattice is not None:
            yield from (f"round {step.i}: {problem}" for problem in _lattice(step.lattice, run.config))


def _lattice(lattice: Lattice, config: Mapping[str, Any]) -> Iterator[str]:
    if lattice.k != len(lattice.positions):
        yield f"k {lattice.k} is not the number of positions"
    for position in lattice.positions:
        yield from _position(position, lattice.tau)
    if not 0 <= lattice.chosen < len(lattice.beams):
        yield "the chosen path is not among the beams"
        return
    if lattice.beams[lattice.chosen].score < max(beam.score for beam in lattice.beams) - TOLERANCE:
        yield "the chosen path is not the best beam"
    if lattice.top1_path != tuple(position.cand[0].token for position in lattice.positions):
        yield "top1_path is not the likeliest token of every position"
    normalised = config.get("params", {}).get("length_normalised", False)
    for i, beam in enumerate(lattice.beams):
        at = [
            next((c for c in position.cand if c.token == token and c.kept), None)
            for position, token in zip(lattice.positions, beam.tokens, strict=False)
        ]
        kept = [candidate for candidate in at if candidate is not None]
        if len(kept) < len(beam.tokens):
            yield f"beam {i} leaves the kept candidates"
            continue
        ends = [candidate.is_eos for candidate in kept]
        if any(ends[:-1]) or (beam.alive and (ends[-1] or len(kept) < lattice.k)) or not (beam.alive or ends[-1]):
            yield f"beam {i} does not stop at its first end of text"
        if abs(beam.dlm_sum - sum(candidate.logp_dlm for candidate in kept)) > TOLERANCE * max(1, len(kept)):
            yield f"beam {i}: dlm_sum is not the sum of its candidates"
        score = lattice.lambda_dlm * beam.dlm_sum + (1 - lattice.lambda_dlm) * (beam.ngram_sum or 0.0)
        if abs(beam.score - score / (len(kept) if normalised else 1)) > 1e-4:
            yield f"beam {i}: score is not λ·dlm + (1−λ)·proxy"


def _position(position: LatticePosition, tau: float) -> Iterator[str]:
    where, log_p = f"position {position.i}", [candidate.logp_dlm for candidate in position.cand]
    if log_p != sorted(log_p, reverse=True):
        yield f"{where}: candidates are not in order"
    masses = np.cumsum(np.exp(log_p))
    m = position.M_i
    if not 1 <= m <= len(log_p) or abs(masses[m - 1] - position.mass_at_cut) > TOLERANCE:
        yield f"{where}: mass_at_cut is not the mass of the first M_i"
    elif (m > 1 and masses[m - 2] >= tau + TOLERANCE) or (m < len(log_p) and masses[m - 1] < tau - TOLERANCE):
        yield f"{where}: M_i is not the smallest that reaches τ"
    if any(candidate.kept != (rank < m or candidate.is_eos) for rank, candidate in enumerate(position.cand)):
        yield f"{where}: kept are not the first M_i and end of text"

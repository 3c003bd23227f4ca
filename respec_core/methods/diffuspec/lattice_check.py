"""What must hold in every lattice: pruning, search, and the draft that was made of it (DiffuSpec, arXiv 2510.02358 §4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from respec_core.methods.diffuspec.link_check import link_problems, offered
from respec_core.methods.diffuspec.record import DenoisingPass, Lattice, LatticePosition
from respec_core.trace.checks.reading import Reading, RoundReading
from respec_core.trace.round import DIFFUSION_SOURCE

TOLERANCE = 1e-6
SUM_TOLERANCE = 1e-4  # of float32 probabilities


def lattice_problems(reading: Reading) -> Iterator[str]:
    """Broken rules of pruning, search and drafting."""
    for round in reading.rounds:
        lattice, trees = round.step.record(Lattice), round.step.trees
        sources = {
            s for nodes in (trees.final, trees.drafter, trees.retrieval) for node in nodes or () for s in node.sources
        }
        if lattice is None:
            if DIFFUSION_SOURCE in sources or round.step.decision.chosen == "diffusion":
                yield f"{round.where}: a diffusion draft without a lattice"
            continue
        if "model" in sources:
            yield f"{round.where}: a node is from a model that did not draft here"
        problems = list(_shape(lattice))
        if not problems:
            problems = [*_lattice(lattice, reading.params), *_settings(lattice, reading), *_drafted(lattice, round)]
            problems += link_problems(lattice, reading.params)
            problems += _ends(lattice, reading)
        yield from (f"{round.where}: {problem}" for problem in problems)


def _shape(lattice: Lattice) -> Iterator[str]:
    """What the other rules read along."""
    if not lattice.positions or lattice.k != len(lattice.positions):
        yield f"k {lattice.k} is not the number of positions"
    if [position.i for position in lattice.positions] != list(range(len(lattice.positions))):
        yield "positions are not numbered 0, 1, 2 …"
    yield from (f"{where}: {problem}" for where, problem in lattice.unlinked())
    for position in lattice.positions:
        if not position.cand or any(candidate.logp_dlm > TOLERANCE for candidate in position.cand):
            yield f"position {position.i} has no candidate, or one of more than all probability"
        if len({candidate.token for candidate in position.cand}) < len(position.cand):
            yield f"position {position.i} names a token twice"
    if not 0 <= lattice.chosen < len(lattice.beams) or not all(beam.tokens for beam in lattice.beams):
        yield "the chosen path is not among the beams"


def _lattice(lattice: Lattice, params: Mapping[str, Any]) -> Iterator[str]:
    for position in lattice.positions:
        yield from _position(position, lattice.tau)
    scores = [beam.score for beam in lattice.beams]
    if lattice.chosen != 0 or scores[lattice.chosen] < max(scores) - TOLERANCE:
        yield "the chosen path is not the best beam"
    if scores != sorted(scores, reverse=True) or len({beam.tokens for beam in lattice.beams}) < len(scores):
        yield "beams are not in order, or one is there twice"
    if lattice.top1_path != tuple(position.cand[0].token for position in lattice.positions):
        yield "top1_path is not the likeliest token of every position"
    normalised = params.get("length_normalised", False)
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
        along = zip(beam.tokens, (None, *beam.tokens), strict=False)
        dlm = sum(offered(lattice, at, token, before) or 0.0 for at, (token, before) in enumerate(along))
        if abs(beam.dlm_sum - dlm) > TOLERANCE * len(kept):
            yield f"beam {i}: dlm_sum is not the sum of its candidates"
        if (beam.ngram_sum or 0.0) > TOLERANCE:
            yield f"beam {i}: ngram_sum {beam.ngram_sum:.4g} is more than all probability"
        score = lattice.lambda_dlm * beam.dlm_sum + (1 - lattice.lambda_dlm) * (beam.ngram_sum or 0.0)
        if abs(beam.score - score / (len(kept) if normalised else 1)) > TOLERANCE * max(1.0, abs(score)):
            yield f"beam {i}: score is not λ·dlm + (1−λ)·proxy"


def _position(position: LatticePosition, tau: float) -> Iterator[str]:
    where, log_p = f"position {position.i}", [candidate.logp_dlm for candidate in position.cand]
    if log_p != sorted(log_p, reverse=True):
        yield f"{where}: candidates are not in order"
    masses = list(accumulate(math.exp(min(x, 0.0)) for x in log_p))
    if masses[-1] > 1 + SUM_TOLERANCE:
        yield f"{where}: candidates have more than all probability"
    m = position.M_i
    if not 1 <= m <= len(log_p) or abs(masses[m - 1] - position.mass_at_cut) > TOLERANCE:
        yield f"{where}: mass_at_cut is not the mass of the first M_i"
    elif (m > 1 and masses[m - 2] >= tau + TOLERANCE) or (m < len(log_p) and masses[m - 1] < tau - TOLERANCE):
        yield f"{where}: M_i is not the smallest that reaches τ"
    for rank, candidate in enumerate(position.cand):
        if candidate.kept != (rank < m or candidate.is_eos) or candidate.pruned_by != (
            None if candidate.kept else "mass_tau"
        ):
            yield f"{where}: kept are not the first M_i and end of text"
            break


def _settings(lattice: Lattice, reading: Reading) -> Iterator[str]:
    params = reading.params
    if "tau" not in params:
        yield "the method searches no lattice"
        return
    judged = params["proxy"] != "none"
    if lattice.tau != params["tau"]:
        yield f"τ is {lattice.tau}, set to {params['tau']}"
    if lattice.lambda_dlm != (params["lambda_dlm"] if judged else 1.0):
        yield f"λ is {lattice.lambda_dlm}, set to {params['lambda_dlm'] if judged else 1.0}"
    if any((beam.ngram_sum is None) == judged for beam in lattice.beams):
        yield "beams are judged by a proxy that is not set, or not by one that is"
    if len(lattice.beams) > params["beam"]:
        yield f"{len(lattice.beams)} beams of at most {params['beam']}"
    if any(len(position.cand) > params["m_max"] for position in lattice.positions):
        yield f"more than {params['m_max']} candidates at a position"
    yield from _passes(lattice, params["passes"])


def _passes(lattice: Lattice, most: int) -> Iterator[str]:
    decided = [i for made in lattice.passes for i in made.decided]
    if lattice.passes and (sorted(decided) != list(range(lattice.k)) or not 1 < most >= len(lattice.passes)):
        yield "the passes did not decide every position once"
    if not lattice.passes and most > 1:
        yield "several passes were set, none is shown"
    for n, made in enumerate(lattice.passes):
        if len(made.cand) != lattice.k or any(not cand for cand in made.cand):
            yield f"pass {n} does not cover every position"
            continue
        yield from (f"pass {n}: {problem}" for problem in _pass(lattice, made))


def _pass(lattice: Lattice, made: DenoisingPass) -> Iterator[str]:
    for i, cand in enumerate(made.cand):
        p = [candidate.p for candidate in cand]
        if p != sorted(p, reverse=True) or not all(0 <= x <= 1 + TOLERANCE for x in p):
            yield f"candidates of position {i} are no probabilities in order"
    for i in made.decided:
        best = lattice.positions[i].cand[0] if 0 <= i < lattice.k else None
        seen = made.cand[i][0] if best is not None else None
        if best is None or seen is None or seen.token != best.token:
            yield f"position {i} was decided otherwise than the lattice has it"
        elif not math.isclose(seen.p, math.exp(best.logp_dlm), rel_tol=1e-4, abs_tol=TOLERANCE):
            yield f"position {i} has another probability in the lattice"


def _drafted(lattice: Lattice, round: RoundReading) -> Iterator[str]:
    """The diffusion model's nodes are kept candidates of their position, with its probability."""
    for node in round.nodes[1:]:
        if DIFFUSION_SOURCE not in node.sources:
            continue
        before = round.nodes[node.parent].token
        found = offered(lattice, node.depth - 1, node.token, before) if node.depth <= lattice.k else None
        if found is None:
            yield f"node {node.id} is not among the kept candidates of its position"
        elif node.draft_p is None or not math.isclose(node.draft_p, math.exp(found), rel_tol=TOLERANCE):
            yield f"node {node.id} has another probability than its candidate"


def _ends(lattice: Lattice, reading: Reading) -> Iterator[str]:
    for position in lattice.positions:
        for candidate in position.cand:
            if candidate.is_eos != (candidate.token in reading.ends):
                yield f"position {position.i}: token {candidate.token} ends the text in one place only"

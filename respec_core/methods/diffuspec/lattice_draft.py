"""What DiffuSpec drafted and how, kept with the draft until the target has spoken, then recorded. No torch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from respec_core.methods.diffuspec.adl import LengthRound
from respec_core.methods.diffuspec.cps import Searched
from respec_core.methods.diffuspec.lattice import Glance, LatticeColumn
from respec_core.methods.diffuspec.record import (
    ADL,
    Beam,
    DenoisingPass,
    Lattice,
    LatticeCandidate,
    LatticePosition,
    Links,
)
from respec_core.trace.record import Candidate, MethodRecord
from respec_core.trace.round import DIFFUSION_SOURCE

if TYPE_CHECKING:
    from respec_core.engine.pieces import Pieces
    from respec_core.engine.tree import DraftTree


@dataclass(frozen=True)
class LatticeDraft:
    """The extension of DiffuSpec's drafts: what was searched, and the length controller's round."""

    searched: Searched
    length: LengthRound

    def records(self, path: Sequence[int], tree: DraftTree, pieces: Pieces) -> Mapping[str, MethodRecord]:
        """The trace's ``lattice`` and ``adl``."""
        accepted = tree.supplied(path, DIFFUSION_SOURCE)
        return {"lattice": lattice_record(self.searched, pieces), "adl": length_record(self.length, accepted)}


def lattice_record(searched: Searched, pieces: Pieces) -> Lattice:
    """Positions with every candidate, the beams, and the path that was chosen (the first beam)."""
    lattice, weighing = searched.lattice, searched.weighing
    return Lattice.model_construct(
        k=len(lattice),
        positions=tuple(_position(i, column, pieces) for i, column in enumerate(lattice.columns)),
        beams=beams_record(searched),
        chosen=0,
        top1_path=lattice.top1,
        lambda_dlm=weighing.weight,
        tau=lattice.tau,
        passes=tuple(_pass(glance, pieces) for glance in lattice.glances),
        links=tuple(
            Links.model_construct(edges=tuple(map(tuple, column.edges.tolist())), alone=column.alone)
            for column in lattice.columns
            if column.alone
        )
        or None,
    )


def beams_record(searched: Searched) -> tuple[Beam, ...]:
    """The paths of a search, best first."""
    proxy = searched.weighing.proxy
    return tuple(
        Beam.model_construct(
            tokens=path.tokens,
            score=path.score,
            dlm_sum=path.dlm,
            ngram_sum=path.proxy if proxy else None,
            alive=not path.ended,
        )
        for path in searched.paths
    )


def _pass(glance: Glance, pieces: Pieces) -> DenoisingPass:
    return DenoisingPass.model_construct(
        cand=tuple(
            tuple(
                Candidate.model_construct(token=token, text=pieces.piece(token), p=math.exp(log_p))
                for token, log_p in zip(tokens, log_ps, strict=True)
            )
            for tokens, log_ps in zip(glance.tokens, glance.log_p, strict=True)
        ),
        decided=glance.decided,
    )


def _position(i: int, column: LatticeColumn, pieces: Pieces) -> LatticePosition:
    kept = set(column.kept)
    return LatticePosition.model_construct(
        i=i,
        cand=tuple(
            LatticeCandidate.model_construct(
                token=token,
                text=pieces.piece(token),
                logp_dlm=log_p,
                kept=rank in kept,
                pruned_by=None if rank in kept else "mass_tau",
                is_eos=rank in column.ends,
            )
            for rank, (token, log_p) in enumerate(zip(column.tokens, column.log_p, strict=True))
        ),
        mass_at_cut=column.mass,
        M_i=column.m,
    )


def length_record(round: LengthRound, accepted: int) -> ADL:
    """The controller's round, once the target took ``accepted`` draft tokens."""
    after = round.after(accepted)
    return ADL.model_construct(
        k_t=round.state.k,
        s_t=round.first_end,
        L_gen=round.generated,
        L_acc=accepted,
        ema_gen=after.ema_gen,
        ema_acc=after.ema_acc,
        grew=after.grows(),
        k_next=after.k,
        k_min=after.k_min,
        k_max=after.k_max,
    )

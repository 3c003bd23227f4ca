"""What-if without a model: search a recorded lattice again under other settings. No torch.

The candidates are in the trace and the proxy counts what was committed before, so the search is repeated exactly. How
far the target would have gone along the new path is known from the recorded output: a strict greedy target takes a path
for as long as it equals the text that was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from respec_core.errors import ReSpecError
from respec_core.methods.diffuspec.corpus_counts import CorpusCounts
from respec_core.methods.diffuspec.cps import PathWeighing, Searched, search
from respec_core.methods.diffuspec.lattice import LatticeColumn, SearchLattice
from respec_core.methods.diffuspec.lattice_draft import beams_record
from respec_core.methods.diffuspec.proxy import MixedProxy, NGramProxy, Proxy
from respec_core.methods.diffuspec.record import Lattice, LatticePosition


@dataclass(frozen=True)
class SearchedAgain:
    """A repeated search.

    Attributes:
        lattice: as the trace would have recorded it.
        accepted: tokens of the best path that the recorded output confirms.
        known: whether the output says what comes next; False where it ends before the path does.
    """

    lattice: Lattice
    accepted: int
    known: bool


def search_again(
    recorded: Lattice,
    proxy: Proxy | None,
    prefix: Sequence[int],
    written: Sequence[int],
    *,
    lambda_dlm: float,
    tau: float,
    beam: int,
    length_normalised: bool = True,
) -> SearchedAgain:
    """The search of ``recorded`` under other settings.

    Args:
        proxy: see :func:`proxy_behind`.
        prefix: the text that the draft continued.
        written: what was committed behind it.
    """
    columns = [position.cand for position in recorded.positions]
    eos = {candidate.token for column in columns for candidate in column if candidate.is_eos}
    tokens = [[candidate.token for candidate in column] for column in columns]
    log_p = [[candidate.logp_dlm for candidate in column] for column in columns]
    links = recorded.links or ()
    edges = [np.array(one.edges).reshape(-1, len(one.alone)) for one in links]
    alone = [one.alone for one in links]
    lattice = SearchLattice.of(tokens, log_p, tau, eos, edges=edges, alone=alone)
    searched = search(lattice, PathWeighing(lambda_dlm, proxy, length_normalised), prefix, beam)
    path, accepted = searched.paths[0].tokens, 0
    for ours, theirs in zip(path, written, strict=False):
        if ours != theirs:
            return SearchedAgain(_record(recorded, searched), accepted, True)
        accepted += 1
    return SearchedAgain(_record(recorded, searched), accepted, accepted == len(path))


def proxy_behind(
    prefix: Sequence[int], kind: str, order: int, vocab_size: int, counts: CorpusCounts | None = None
) -> Proxy | None:
    """The causal proxy as it stood behind ``prefix``; None where the run had none.

    Args:
        kind: the run's setting ``proxy``.
        counts: the corpus of the drafter, where ``kind`` is ``corpus`` and there is one.

    Raises:
        ReSpecError: if it was made of logits, which a trace does not hold.
    """
    if kind == "none":
        return None
    if kind == "recycling":
        raise ReSpecError("This run's proxy was made of the target's logits, which a trace does not hold.")
    session = NGramProxy(order, vocab_size)
    session.read(prefix)
    return session if counts is None else MixedProxy(session, counts)


def _record(recorded: Lattice, searched: Searched) -> Lattice:
    columns = zip(recorded.positions, searched.lattice.columns, strict=True)
    return recorded.model_copy(
        update={
            "positions": tuple(_position(position, column) for position, column in columns),
            "beams": beams_record(searched),
            "chosen": 0,
            "lambda_dlm": searched.weighing.weight,
            "tau": searched.lattice.tau,
        }
    )


def _position(recorded: LatticePosition, column: LatticeColumn) -> LatticePosition:
    kept = set(column.kept)
    cand = tuple(
        candidate.model_copy(update={"kept": rank in kept, "pruned_by": None if rank in kept else "mass_tau"})
        for rank, candidate in enumerate(recorded.cand)
    )
    return recorded.model_copy(update={"cand": cand, "M_i": column.m, "mass_at_cut": column.mass})

"""What must hold where a lattice's positions hang on each other: edges and candidates belong to one first-order chain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from respec_core.methods.diffuspec.lattice import MIXED
from respec_core.methods.diffuspec.record import Lattice

SUM_TOLERANCE = 1e-4  # of float32 probabilities


def offered(lattice: Lattice, i: int, token: int, before: int | None) -> float | None:
    """Log-probability of a kept candidate at position ``i``, behind the token ``before`` where they are linked; None for no candidate."""
    column = lattice.positions[i].cand
    rank = next((rank for rank, c in enumerate(column) if c.token == token and c.kept), None)
    if rank is None or not i or not lattice.links:
        return None if rank is None else column[rank].logp_dlm
    last = next((rank for rank, c in enumerate(lattice.positions[i - 1].cand) if c.token == before), None)
    return None if last is None else lattice.links[i].edges[last][rank]


def link_problems(lattice: Lattice, params: Mapping[str, Any]) -> Iterator[str]:
    """Broken rules of links."""
    if not lattice.links:
        return
    if not params.get("markov") or lattice.passes:
        yield "positions are linked, which was not set, or beside several passes"
    weights = np.zeros(1)
    for position, links in zip(lattice.positions, lattice.links, strict=True):
        own = np.array([candidate.logp_dlm for candidate in position.cand])
        if links.edges:
            edges = np.array(links.edges)
            if (np.exp(edges).sum(1) > 1 + SUM_TOLERANCE).any():
                yield f"position {position.i}: edges have more than all probability"
            mixed = np.logaddexp.reduce(weights[:, None] + edges[:MIXED], axis=0)
            if len(edges) >= MIXED and not np.allclose(np.exp(mixed), np.exp(own), atol=SUM_TOLERANCE):
                yield f"position {position.i}: candidates are not what their edges add up to"
        if math.fsum(map(math.exp, links.alone)) > 1 + SUM_TOLERANCE:
            yield f"position {position.i}: the pass itself had more than all probability"
        weights = own[:MIXED] - np.logaddexp.reduce(own[:MIXED])

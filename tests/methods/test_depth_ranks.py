"""Which ranks the target chose, by position (JetSpec, arXiv 2606.18394): the counts, and the children they are worth."""

from __future__ import annotations

import math

import pytest

from respec_core.methods.diffuspec.depth_ranks import DepthRanks, ranks_of
from respec_core.methods.diffuspec.record import Lattice, LatticeCandidate, LatticePosition


def lattice() -> Lattice:
    """Two positions of three candidates: 10, 11, 12, then 20, 21, 22."""
    positions = [
        LatticePosition(
            i=i,
            cand=tuple(LatticeCandidate(token=10 * (i + 1) + r, text="t", logp_dlm=math.log(p), kept=True)
                       for r, p in enumerate((0.6, 0.3, 0.1))),
            mass_at_cut=1.0,
            M_i=3,
        )
        for i in range(2)
    ]  # fmt: skip
    return Lattice(k=2, positions=tuple(positions), beams=(), chosen=0, top1_path=(10, 20), lambda_dlm=1.0, tau=1.0)


def test_counting_ends_where_nobody_offered_the_token():
    assert ranks_of(lattice(), (11, 22, 99)) == [1, 2]  # the text is longer than the draft
    assert ranks_of(lattice(), (99, 20)) == [None]
    assert ranks_of(lattice(), (10, 99)) == [0, None]
    assert ranks_of(lattice(), (10,)) == [0]


def test_the_children_of_a_node_are_the_ranks_chosen_often_enough():
    # JetSpec's own example of what one gap between the best two cannot say: keep ranks 1 and 2, drop the third
    third = DepthRanks(200, (120, 40, 3, 2))
    assert third.acceptance == pytest.approx((0.6, 0.2, 0.015, 0.01))
    assert third.children() == 2
    assert third.children(least=0.015) == 3
    assert DepthRanks(100, (0, 0, 0)).children() == 1  # a node has one child at least
    assert DepthRanks(100, (90, 1, 5)).children() == 2  # a number of ranks, whichever they are

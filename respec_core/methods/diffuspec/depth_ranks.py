"""Which rank of a position's candidates the target chose, over the rounds of a run (JetSpec, arXiv 2606.18394). No torch.

JetSpec's ``depth_rank_histogram`` gives a node at depth d as many children as there are ranks r with
``acceptance(d, r) ≥ τ``. Its released code counts this at every expanded node, right or wrong, or only where a node of
that rank was in the tree; here a position counts whenever the text got there, so it hangs on no tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from respec_core.methods.diffuspec.record import Lattice
from respec_core.trace.round import Step

LEAST = 0.02  # JetSpec's τ


@dataclass(frozen=True)
class DepthRanks:
    """What the target chose at a draft position.

    Attributes:
        rounds: in which the text got there.
        chosen: of these, how many chose the candidate of each rank; the rest chose none.
    """

    rounds: int
    chosen: tuple[int, ...]

    @property
    def acceptance(self) -> tuple[float, ...]:
        """Share of the rounds that chose each rank."""
        return tuple(n / self.rounds for n in self.chosen)

    def children(self, least: float = LEAST) -> int:
        """How many ranks are chosen in at least the share ``least``; one where none is."""
        return max(1, sum(share >= least for share in self.acceptance))


def depth_ranks(steps: Sequence[Step]) -> tuple[DepthRanks, ...]:
    """One entry for every position that the text of some round got to."""
    rounds, chosen, widest = Counter[int](), Counter[tuple[int, int]](), 0
    for step in steps:
        if (lattice := step.record(Lattice)) is None:
            continue
        widest = max(widest, *(len(position.cand) for position in lattice.positions))
        ranks = ranks_of(lattice, step.commit.emitted_ids)
        rounds.update(range(len(ranks)))
        chosen.update((i, rank) for i, rank in enumerate(ranks) if rank is not None)
    return tuple(DepthRanks(n, tuple(chosen[i, rank] for rank in range(widest))) for i, n in sorted(rounds.items()))


def ranks_of(lattice: Lattice, text: Sequence[int]) -> list[int | None]:
    """Rank of each token of ``text`` at its position; it ends at one that is no candidate."""
    found: list[int | None] = []
    for position, token in zip(lattice.positions, text, strict=False):
        rank = next((rank for rank, candidate in enumerate(position.cand) if candidate.token == token), None)
        found.append(rank)
        if rank is None:
            break
    return found

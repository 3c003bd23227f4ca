"""Where paths run through a diffusion lattice, and what the target made of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TypedDict

from respec_core.methods.diffuspec.record import Lattice, LatticePosition
from respec_core.trace.round import DIFFUSION_SOURCE, Step

Cell = tuple[int, int]  # position, rank, both from 0


class CellVerdict(TypedDict):
    """Cells that the target accepted, the guess it rejected first, and its own token there if it was a candidate."""

    accepted: list[Cell]
    rejected: list[Cell]
    own: list[Cell]


def cells_of(lattice: Lattice, tokens: Sequence[int]) -> list[Cell]:
    """Where a path of tokens runs through the lattice, without the places where it left it."""
    pairs = zip(lattice.positions, tokens, strict=False)
    return [cell for position, token in pairs for cell in cells_at(position, token)[:1]]


def cells_at(position: LatticePosition, token: int | None) -> list[Cell]:
    """The cell of ``token``, if the position offers it."""
    return [(position.i, rank) for rank, candidate in enumerate(position.cand) if candidate.token == token]


def accepted_of_draft(step: Step) -> tuple[int, ...]:
    """Accepted nodes that the diffusion model drafted; copies verified beside its draft may go on below them."""
    nodes = step.trees.final
    return tuple(takewhile(lambda i: DIFFUSION_SOURCE in nodes[i].sources, step.commit.path_node_ids))


def verdict_of(step: Step) -> CellVerdict:
    """What the target said about a round's lattice."""
    lattice, nodes, path = step.record(Lattice), step.trees.final, accepted_of_draft(step)
    assert lattice is not None
    at = len(path)
    accepted = cells_of(lattice, [nodes[i].token for i in path])
    if at >= len(lattice.positions):
        return {"accepted": accepted, "rejected": [], "own": []}
    last = path[-1] if path else 0
    lost = [n.token for n in nodes if n.parent == last and n.outcome == "rejected" and DIFFUSION_SOURCE in n.sources]
    favourite = lattice.beams[lattice.chosen].tokens[at : at + 1] if lattice.beams else ()
    first = next((t for t in favourite if t in lost), lost[0] if lost else None)
    own = next(iter(step.commit.emitted_ids[at : at + 1]), None)
    position = lattice.positions[at]
    return {"accepted": accepted, "rejected": cells_at(position, first), "own": cells_at(position, own)}

"""A lattice cut down to what a drawing has room for: first positions, likeliest candidates, best beams."""

from __future__ import annotations

from respec_core.methods.diffuspec.record import DenoisingPass, Lattice

MAX_CELLS = 1024
LEAST_POSITIONS = 8


def thinned(lattice: Lattice, room: int) -> Lattice:
    """``lattice`` with at most about ``room`` candidates, beams and passes to match; itself where it fits."""
    room = min(room, MAX_CELLS)
    columns = len(lattice.positions)
    deepest = max((len(position.cand) for position in lattice.positions), default=0)
    longest = max(deepest, len(lattice.beams), len(lattice.passes))
    if columns * longest <= room:
        return lattice
    wide = min(columns, max(LEAST_POSITIONS, room // longest))
    deep = max(1, room // wide)
    best = [lattice.beams[lattice.chosen], *(b for i, b in enumerate(lattice.beams) if i != lattice.chosen)]
    positions = tuple(p.model_copy(update={"cand": p.cand[:deep]}) for p in lattice.positions[:wide])
    passes = tuple(_glance(seen, wide, deep // len(lattice.passes)) for seen in lattice.passes[:deep])
    return lattice.model_copy(
        update={"positions": positions, "beams": tuple(best[:deep]), "chosen": 0, "passes": passes}
    )


def left_out(lattice: Lattice, shown: Lattice) -> str:
    """How many candidates are not drawn, as a sentence; empty where all are."""
    more = sum(len(p.cand) for p in lattice.positions) - sum(len(p.cand) for p in shown.positions)
    return f"+{more} more candidates are not drawn." if more else ""


def _glance(seen: DenoisingPass, wide: int, deep: int) -> DenoisingPass:
    return DenoisingPass.model_construct(
        cand=tuple(cand[: max(1, deep)] for cand in seen.cand[:wide]),
        decided=tuple(i for i in seen.decided if i < wide),
    )

"""Where paths run through a diffusion lattice, what became of them, and the colours and signs that its views share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from app.panels.drawing import Axis, Trace
from respec_core.methods.diffuspec.record import Beam, Lattice, LatticePosition
from respec_core.trace.round import DIFFUSION_SOURCE, Step

DOMAIN = (-6.0, 0.0)  # log-probability in nats, the same in every view and round
BRIGHT = -2.7  # above it Cividis is light and text is black
Cell = tuple[int, int]  # position, rank, both from 0


@dataclass(frozen=True)
class CellVerdict:
    """Cells that the target accepted, the guess it rejected first, and its own token there if it was a candidate."""

    accepted: tuple[Cell, ...] = ()
    rejected: tuple[Cell, ...] = ()
    own: tuple[Cell, ...] = ()

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All of them."""
        return (*self.accepted, *self.rejected, *self.own)

    def within(self, lattice: Lattice) -> CellVerdict:
        """Only the cells that ``lattice`` has."""

        def there(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
            return tuple(c for c in cells if c[0] < len(lattice.positions) and c[1] < len(lattice.positions[c[0]].cand))

        return CellVerdict(there(self.accepted), there(self.rejected), there(self.own))


def cells_of(lattice: Lattice, tokens: Sequence[int]) -> list[Cell | None]:
    """Where a path of tokens runs through the lattice; None where it left it."""
    pairs = zip(lattice.positions, tokens, strict=False)
    return [next(iter(cells_at(position, token)), None) for position, token in pairs]


def cells_at(position: LatticePosition, token: int | None) -> tuple[Cell, ...]:
    """The cell of ``token``, if the position offers it."""
    ranks = (rank for rank, candidate in enumerate(position.cand) if candidate.token == token)
    return tuple((position.i, rank) for rank in ranks)


def chosen_path(lattice: Lattice) -> tuple[int, ...]:
    """The tokens of the best path."""
    return lattice.beams[lattice.chosen].tokens if lattice.beams else ()


def other_beams(lattice: Lattice) -> list[Beam]:
    """All beams but the chosen one, best first."""
    return [beam for i, beam in enumerate(lattice.beams) if i != lattice.chosen]


def accepted_of_draft(step: Step) -> tuple[int, ...]:
    """Accepted nodes that the diffusion model drafted; copies verified beside its draft may go on below them."""
    nodes = step.trees.final
    return tuple(takewhile(lambda i: DIFFUSION_SOURCE in nodes[i].sources, step.commit.path_node_ids))


def verdict_of(step: Step) -> CellVerdict:
    """What the target said about a round's lattice."""
    lattice, nodes, path = step.record(Lattice), step.trees.final, accepted_of_draft(step)
    assert lattice is not None
    at = len(path)
    accepted = tuple(cell for cell in cells_of(lattice, [nodes[i].token for i in path]) if cell)
    if at >= len(lattice.positions):
        return CellVerdict(accepted)
    last = path[-1] if path else 0
    lost = [n.token for n in nodes if n.parent == last and n.outcome == "rejected" and DIFFUSION_SOURCE in n.sources]
    favourite = chosen_path(lattice)[at : at + 1]
    first = next((t for t in favourite if t in lost), lost[0] if lost else None)
    own = next(iter(step.commit.emitted_ids[at : at + 1]), None)
    return CellVerdict(accepted, cells_at(lattice.positions[at], first), cells_at(lattice.positions[at], own))


def verdict_against(lattice: Lattice, written: Sequence[int], accepted: int, known: bool) -> CellVerdict:
    """What the text that was written says about the chosen path: ``accepted`` of its tokens agree, then no more."""
    path = cells_of(lattice, chosen_path(lattice))
    agreed = tuple(cell for cell in path[:accepted] if cell)
    if not known or accepted >= len(path):
        return CellVerdict(agreed)
    lost = tuple(cell for cell in path[accepted : accepted + 1] if cell)
    return CellVerdict(agreed, lost, cells_at(lattice.positions[accepted], written[accepted]))


def ink_on(logp: float) -> str:
    """Text colour that can be read on a cell."""
    return "#000000" if logp > BRIGHT else "#ffffff"


def clipped(logp: float) -> float:
    """A log-probability within the colour domain."""
    return round(max(DOMAIN[0], logp), 3)


def signs(verdict: CellVerdict, left: float, up: float = 0.0, row: Mapping[int, int] | None = None) -> Trace:
    """✓ on what was accepted, ✗ on the first guess that was not, ↻ on the target's own token.

    Args:
        row: where a rank is drawn, if not at its own number.
    """
    found = [
        *((cell, "✓", "var:accepted", "#ffffff") for cell in verdict.accepted),
        *((cell, "✗", "var:rejected", "#000000") for cell in verdict.rejected),
        *((cell, "↻", "var:correction", "#000000") for cell in verdict.own),
    ]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [cell[0] - left for cell, *_ in found],
        "y": [(row[cell[1]] if row else cell[1]) - up for cell, *_ in found],
        "text": [sign for _, sign, *_ in found],
        "textfont": {"size": 12, "color": [ink for *_, ink in found]},
        "hoverinfo": "skip",
        "marker": {
            "symbol": "circle",
            "size": 16,
            "opacity": 1,
            "color": [fill for _, _, fill, _ in found],
            "line": {"width": 1.5, "color": "var:surface"},
        },
    }


def fixed_axis(title: str, values: Sequence[float], texts: Sequence[str], span: tuple[float, float]) -> Axis:
    """An axis that stays put."""
    return {
        "title": {"text": title},
        "tickvals": list(values),
        "ticktext": list(texts),
        "range": list(span),
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }

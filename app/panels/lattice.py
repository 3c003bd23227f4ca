"""A diffusion lattice: three drawings of it, its refinement passes, and in a sentence what the target made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from app.panels.drawing import Figure
from app.panels.labels import count, short
from app.panels.lattice_map import PassFrame, map_figure, pass_frames
from app.panels.lattice_paths import CellVerdict, accepted_of_draft, verdict_of
from app.panels.lattice_thinned import left_out, thinned
from app.panels.mass import mass_figure
from app.panels.panel import RoundPanel
from app.panels.room import WHOLE
from app.panels.timeline import duration
from app.panels.trellis import trellis_figure
from respec_core.methods.diffuspec.record import Lattice, LatticePosition
from respec_core.trace.round import Step
from respec_core.trace.schema import Token


class LatticeFigures(TypedDict):
    """One lattice three times."""

    map: Figure
    trellis: Figure
    mass: Figure


class LatticeDrawn(TypedDict):
    """A lattice in every view, with the cut of every position."""

    sentence: str
    cuts: list[str]
    figures: LatticeFigures


class LatticeView(LatticeDrawn):
    """The recorded one, with its refinement passes."""

    frames: list[PassFrame]


def lattice_view(step: Step, tokens: Sequence[Token], room: int = WHOLE) -> LatticeView | None:
    """Figures, sentence and the cut of every position; None for rounds without a lattice."""
    lattice = step.record(Lattice)
    if lattice is None:
        return None
    verdict = verdict_of(step)
    said = f"{_sentence(lattice, step, tokens, verdict)} {_spent(step)}".rstrip()
    return {**drawn(lattice, verdict, said, room), "frames": pass_frames(thinned(lattice, room))}


def drawn(lattice: Lattice, verdict: CellVerdict, sentence: str, room: int = WHOLE) -> LatticeDrawn:
    """A lattice in every view; the sentence also describes the drawings to those who cannot see them."""
    shown = thinned(lattice, room)
    seen = verdict.within(shown)
    sentence = f"{sentence} {left_out(lattice, shown)}".rstrip()
    figures: LatticeFigures = {
        "map": {**map_figure(shown, seen), "alt": sentence},
        "trellis": {**trellis_figure(shown, seen), "alt": sentence},
        "mass": {**mass_figure(shown), "alt": sentence},
    }
    return {"sentence": sentence, "cuts": [cut(p, lattice.tau) for p in lattice.positions], "figures": figures}


def cut(position: LatticePosition, tau: float) -> str:
    """Why a position's candidates end where they end."""
    first = f"the best {position.M_i} candidates" if position.M_i > 1 else "the best candidate"
    hold = "holds" if position.M_i == 1 else "hold"
    reach = "≥" if position.mass_at_cut >= tau else "<"
    rest = "the others were cut" if position.M_i < len(position.cand) else "none was cut"
    return f"{first} {hold} {position.mass_at_cut:.0%} of the probability, {reach} τ = {tau:.0%}; {rest}"


def _spent(step: Step) -> str:
    """How the round's time splits up, where it was measured."""
    ms = step.phase_ms
    if not ms.keys() >= {"draft", "search", "verify"}:
        return ""
    drafted, searched, verified = (duration(ms[phase]) for phase in ("draft", "search", "verify"))
    return f"Drafted in {drafted}, searched in {searched}, verified in {verified}."


def _sentence(lattice: Lattice, step: Step, tokens: Sequence[Token], verdict: CellVerdict) -> str:
    at, whole = len(accepted_of_draft(step)), step.commit.n_accepted
    said = f"{count(lattice.k, 'position')}, {at} accepted"
    if whole > at:
        said += f" ({whole} with the copies verified beside them)"
    if at >= min(len(tokens), len(lattice.positions)):
        return f"{said}."
    wanted = f"at position {at + 1} the target wanted ‘{short(tokens[at].piece, 24)}’"
    if not verdict.own:
        return f"{said}; {wanted}, which was no candidate."
    rank = verdict.own[0][1]
    kept = lattice.positions[at].cand[rank].kept
    return f"{said}; {wanted}, candidate {rank + 1}, {'kept but not drafted here' if kept else 'which had been cut'}."


PANEL = RoundPanel(
    id="lattice", title="Diffusion lattice", tab="Lattice", reads=("lattice",), view=lattice_view, module="lattice"
)

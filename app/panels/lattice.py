"""A diffusion lattice: what the target made of it. The lattice itself is in the round; ``static/lattice.js`` draws it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from app.panels.labels import count, short
from app.panels.lattice_paths import CellVerdict, accepted_of_draft, verdict_of
from app.panels.panel import RoundPanel
from app.panels.room import WHOLE
from app.panels.timeline import duration
from respec_core.methods.diffuspec.record import Lattice
from respec_core.trace.round import Step
from respec_core.trace.schema import Token


class LatticeView(TypedDict):
    """What the target made of a lattice; ``passes`` are sentences about its refinement, one each."""

    sentence: str
    verdict: CellVerdict
    passes: list[str]


def lattice_view(step: Step, tokens: Sequence[Token], room: int = WHOLE) -> LatticeView | None:
    """Sentence and verdict, for the lattice that the round holds; None for rounds without one."""
    lattice = step.record(Lattice)
    if lattice is None:
        return None
    verdict = verdict_of(step)
    said = f"{_sentence(lattice, step, tokens, verdict)} {_spent(step)}".rstrip()
    return {"sentence": said, "verdict": verdict, "passes": _passes(lattice)}


def _passes(lattice: Lattice) -> list[str]:
    """What each refinement pass decided; empty where there was only one."""
    said: list[str] = []
    before: set[int] = set()
    for number, seen in enumerate(lattice.passes, 1):
        before.update(seen.decided)
        still = len(seen.cand) - len(before)
        named = ", ".join(str(i + 1) for i in seen.decided) or "none"
        what = "position" if len(seen.decided) == 1 else "positions"
        rest = f", where the model was surest; {count(still, 'position')} still open." if still else "; now all are."
        said.append(f"Pass {number} of {len(lattice.passes)} decided {what} {named} (framed){rest}")
    return said


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
    if not verdict["own"]:
        return f"{said}; {wanted}, which was no candidate."
    rank = verdict["own"][0][1]
    kept = lattice.positions[at].cand[rank].kept
    return f"{said}; {wanted}, candidate {rank + 1}, {'kept but not drafted here' if kept else 'which had been cut'}."


PANEL = RoundPanel(
    id="lattice", title="Diffusion lattice", tab="Lattice", reads=("lattice",), view=lattice_view, module="lattice"
)

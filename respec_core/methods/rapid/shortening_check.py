"""What must hold of RAPID's record: pieces and scores are the prompt's, pulled probabilities follow from p and q. Imports no torch."""

from __future__ import annotations

import math
from collections.abc import Iterator

from respec_core.methods.rapid.chunks import shortened
from respec_core.methods.rapid.pulling import pulled_p
from respec_core.methods.rapid.record import Chunk, PulledRow, Shortening
from respec_core.methods.rapid.settings import RapidSettings
from respec_core.trace.checks.reading import Reading, RoundReading

RELATIVE, ABSOLUTE = 2e-3, 1e-6  # of float32 exponentials


def shortening_problems(reading: Reading) -> Iterator[str]:
    """Pieces that the prompt does not give, and rows that contradict themselves or the tree."""
    ours = reading.run.method == "rapid"
    settings = RapidSettings(**reading.params) if ours else None
    short = shortened(reading.run.prompt_ids, settings) if settings else None
    for at, round in enumerate(reading.rounds):
        found = round.step.record(Shortening)
        if (found is None) == ours:
            yield f"{round.where}: what the drafter read belongs to rapid, and to all of its rounds"
        elif found is not None and settings is not None and short is not None:
            if found.read != len(short.ids) or found.eta != settings.eta:
                yield f"{round.where}: the drafter read {found.read} tokens with η = {found.eta:g}, the settings say otherwise"
            if not _same_chunks(found, short.chunks if at == 0 else ()):
                yield f"{round.where}: the pieces are not those that the prompt and the settings give"
            yield from (f"{round.where}: {problem}" for problem in _rows(reading, round, found, settings))


def _same_chunks(found: Shortening, due: tuple[Chunk, ...]) -> bool:
    return len(found.chunks) == len(due) and all(
        math.isclose(a.score, b.score, rel_tol=1e-9) and a.model_copy(update={"score": b.score}) == b
        for a, b in zip(found.chunks, due, strict=True)
    )


def _rows(reading: Reading, round: RoundReading, found: Shortening, settings: RapidSettings) -> Iterator[str]:
    if reading.config.greedy and found.rows:
        yield "rows of a draft that was not sampled"
    for row in found.rows:
        if not 0 < row.node < len(round.nodes):
            yield f"a row of node {row.node}, which was not drafted"
            continue
        node = round.nodes[row.node]
        if not _near(row.q, node.draft_p or 0.0) or (node.decided_p is not None and not _near(row.p, node.decided_p)):
            yield f"node {row.node}: p or q are not the tree's"
        elif row.whole and not _near(row.pulled, pulled_again(row, settings)):
            yield f"node {row.node}: p̂ is {row.pulled:.4g}, p and q give {pulled_again(row, settings):.4g}"


def pulled_again(row: PulledRow, settings: RapidSettings) -> float:
    """``p̂`` of a row by what it holds."""
    best = max((one.q for one in row.candidates), default=0.0)
    moved = row.q >= settings.alpha * best
    return pulled_p(row.p, row.q, row.candidates, settings.eta, moved=moved)


def _near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)

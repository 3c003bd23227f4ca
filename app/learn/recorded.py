"""Recorded runs for lessons: the page's own by name, or trace files that stand beside a lesson."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from statistics import median

from app.gallery import recording, recordings
from app.showcases import showcase_run, showcases
from respec_core.errors import ReSpecError, quoted
from respec_core.methods.traces import read_trace
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.placing import PlacedRound, placed_rounds
from respec_core.trace.schema import Run

NAME = re.compile(r"[\w-]{1,60}")


def recorded_run(name: str, beside: Path | None = None) -> Run:
    """The run called ``name``.

    Args:
        beside: a folder of trace files to look in after the page's own.

    Raises:
        ReSpecError: if there is none.
    """
    found = recording(name)
    if found is not None:
        return found
    file = beside / f"{name}.json" if beside is not None and NAME.fullmatch(name) else None
    if file is None or not file.is_file():
        near = get_close_matches(name, recordings()) or [*showcases()]
        raise ReSpecError(f"There is no recorded run {quoted(name)}; there are others, such as {', '.join(near)}.")
    return _read(file, file.stat().st_mtime_ns)


@cache
def _read(file: Path, _changed: int) -> Run:
    return read_trace(file)


def round_of(run: Run, number: int) -> PlacedRound:
    """Round ``number`` from 1.

    Raises:
        ReSpecError: if the run has none.
    """
    rounds = list(placed_rounds(run))
    if not 1 <= number <= len(rounds):
        raise ReSpecError(f"This run has the rounds 1 to {len(rounds)}, not {number}.")
    return rounds[number - 1]


def telling_round(run: Run, number: int) -> PlacedRound:
    """Round ``number``; where that is 0, the first round in which much was drafted and some of it accepted and rejected."""
    if number:
        return round_of(run, number)
    mixed = [r for r in placed_rounds(run) if r.step.commit.n_accepted and r.step.commit.extra is not None]
    mixed = [r for r in mixed if r.step.commit.extra and r.step.commit.extra.kind == "correction"] or mixed
    if not mixed:
        raise ReSpecError("No round of this run accepted a drafted token: name another trace.")
    return next((r for r in mixed if 2 <= r.step.commit.n_accepted <= 6), mixed[0])


def precision(run: Run) -> str:
    """The numbers that its target computes in, as the trace calls them."""
    return str(run.models.get("target", {}).get("dtype", "unknown"))


def showcase_runs() -> list[Run]:
    """All of them."""
    return [run for name in showcases() if (run := showcase_run(name)) is not None]


@cache
def forwards() -> tuple[tuple[int, float], ...]:
    """Every recorded forward of the showcases: tokens it read, and milliseconds."""
    return tuple((len(step.trees.final), step.phase_ms["verify"]) for run in showcase_runs() for step in run.steps)


def typical(sizes: Sequence[tuple[int, float]], few: int = 3) -> list[tuple[int, float]]:
    """The median by size, of sizes that were seen ``few`` times."""
    seen: dict[int, list[float]] = defaultdict(list)
    for size, ms in sizes:
        seen[size].append(ms)
    return [(size, median(seen[size])) for size in sorted(seen) if len(seen[size]) >= few]


@cache
def recorded_costs() -> CostCurve:
    """What a forward cost when the showcases were recorded."""
    return CostCurve(tuple(typical(forwards())))

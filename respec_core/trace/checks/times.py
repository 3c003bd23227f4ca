"""Times are times: none negative, no phase unknown, no round longer than the run."""

from __future__ import annotations

import math
from collections.abc import Iterator

from respec_core.trace.checks.reading import Reading

PHASES = frozenset({"route", "retrieve", "draft", "search", "fuse", "verify", "commit"})
SLACK = 1e-4  # seconds


def time_problems(reading: Reading) -> Iterator[str]:
    """Phases and sums that no clock gives."""
    run, spent = reading.run, 0.0
    for step in run.steps:
        for name, ms in step.phase_ms.items():
            if name not in PHASES:
                yield f"round {step.i}: there is no phase {name!r}"
            if ms < 0:
                yield f"round {step.i}: {name} took {ms:.4g} ms"
        if not {"verify", "commit"} <= step.phase_ms.keys():
            yield f"round {step.i}: verify or commit was not timed"
        spent += sum(step.phase_ms.values()) / 1e3
    if run.summary is None:
        return
    if run.summary.wall_s < 0 or run.summary.prefill_s < 0:
        yield "the run took less than no time"
    cancelled = run.finish_reason == "cancelled"
    if cancelled and not math.isclose(run.summary.wall_s, spent, rel_tol=1e-9, abs_tol=1e-12):
        yield f"a cancelled run counts its phases, {spent:.4f} s, not {run.summary.wall_s:.4f} s"
    if spent > run.summary.wall_s + SLACK:
        yield f"phases take {spent:.4f} s, more than the run's {run.summary.wall_s:.4f} s"

"""The summary is what its rounds and tokens give."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace import Run

TOLERANCE = 1e-6


def summary_problems(run: Run) -> Iterator[str]:
    """Figures that the rounds do not give."""
    if run.summary is None:
        yield "there is no summary"
        return
    s, tokens, steps = run.summary, len(run.output_ids), len(run.steps)
    if (s.tokens, s.steps, s.target_passes) != (tokens, steps, steps):
        yield "tokens, steps or target_passes are miscounted"
    if abs(s.mat - (tokens / steps if steps else 0.0)) > TOLERANCE:
        yield f"mat {s.mat} is not tokens / steps"
    if s.relaxed_accepts != sum(step.commit.n_relaxed for step in run.steps):
        yield "relaxed_accepts are miscounted"
    spent = sum(sum(step.phase_ms.values()) for step in run.steps) / 1e3
    if spent > s.wall_s + 1e-3 * max(1, steps) * TOLERANCE + 1e-4:
        yield f"phases take {spent:.4f} s, more than the run's {s.wall_s:.4f} s"

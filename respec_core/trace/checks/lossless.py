"""The strict rule accepts nothing relaxed and writes plain decoding's text."""

from __future__ import annotations

from collections.abc import Iterator

from respec_core.trace.differences import repeats_itself
from respec_core.trace.schema import Run


def lossless_problems(run: Run) -> Iterator[str]:
    """Lossy rounds where the rule is strict."""
    relaxed = sum(step.commit.n_relaxed for step in run.steps)
    settings = run.settings
    if settings.strict and relaxed:
        yield f"{relaxed} relaxed accepts under the strict rule"
    exact = repeats_itself(run.models) and run.finish_reason != "cancelled"
    if exact and settings.lossless and run.reference_ar and run.reference_ar.output_ids != run.output_ids:
        yield "strict greedy output differs from plain decoding"

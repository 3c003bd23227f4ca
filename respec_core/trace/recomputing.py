"""Figures that a trace's rounds do not give, computed again: whoever edited them, the rounds have the last word. No torch."""

from __future__ import annotations

from respec_core.trace.differences import first_difference
from respec_core.trace.schema import Run
from respec_core.trace.summary import summarise


def recomputed(run: Run) -> Run:
    """``run`` with output and summary as its rounds have them; decoding took at least as long as they did."""
    ids = tuple(token for step in run.steps for token in step.commit.emitted_ids)
    spent = sum(sum(step.phase_ms.values()) for step in run.steps) / 1e3
    said = run.summary
    wall_s = spent if said is None or run.finish_reason == "cancelled" else max(said.wall_s, spent)
    summary = summarise(run.steps, run.tokens, wall_s, said.prefill_s if said else 0.0)
    plain = run.reference_ar
    if plain is not None:
        ratio = plain.wall_s / wall_s if wall_s > 0 and plain.wall_s > 0 else None
        apart = first_difference(ids, plain.output_ids)
        summary = summary.model_copy(update={"speedup_measured": ratio, "first_divergence_vs_ar": apart})
    text = "".join(token.text for token in run.tokens)
    return run.model_copy(update={"output_ids": ids, "output_text": text, "summary": summary})

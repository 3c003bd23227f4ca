"""A run beside plain decoding of the same prompt, both measured here."""

from __future__ import annotations

from respec_core.trace.differences import first_difference
from respec_core.trace.schema import ReferenceAR, Run


def with_reference(run: Run, plain: Run) -> Run:
    """``run`` with plain decoding's ids and time, their ratio and first difference filled in."""
    assert run.summary is not None and plain.summary is not None
    reference = ReferenceAR(output_ids=plain.output_ids, wall_s=plain.summary.wall_s)
    ratio = reference.wall_s / run.summary.wall_s if run.summary.wall_s > 0 and reference.wall_s > 0 else None
    summary = run.summary.model_copy(
        update={
            "speedup_measured": ratio,
            "first_divergence_vs_ar": first_difference(run.output_ids, reference.output_ids),
        }
    )
    return run.model_copy(update={"summary": summary, "reference_ar": reference})

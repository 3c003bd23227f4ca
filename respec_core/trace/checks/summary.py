"""The summary is what its rounds and tokens give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from respec_core.trace.checks.reading import Reading
from respec_core.trace.schema import Run, Summary
from respec_core.trace.summary import summarise

TOLERANCE = 1e-9
AGAINST_PLAIN = ("first_divergence_vs_ar", "speedup_measured")


def summary_problems(reading: Reading) -> Iterator[str]:
    """Figures that the rounds do not give."""
    run, recorded = reading.run, reading.run.summary
    if recorded is None:
        yield "there is no summary"
        return
    expected = summarise(run.steps, run.tokens, recorded.wall_s, recorded.prefill_s)
    for name in Summary.model_fields:
        value = getattr(recorded, name)
        if name in AGAINST_PLAIN or (value is None and not Summary.model_fields[name].is_required()):
            continue  # figures added later are missing in older traces
        if name in recorded.model_fields_set and not _same(value, getattr(expected, name)):
            yield f"{name} is {_short(value)}, the rounds give {_short(getattr(expected, name))}"
    yield from _against_plain(run, recorded)


def _against_plain(run: Run, summary: Summary) -> Iterator[str]:
    plain = run.reference_ar
    if plain is None:
        if summary.speedup_measured is not None or summary.first_divergence_vs_ar is not None:
            yield "compared with plain decoding, which was not measured"
        return
    if plain.wall_s < 0:
        yield "plain decoding took less than no time"
    timed = summary.wall_s > 0 and plain.wall_s > 0
    if summary.speedup_measured is not None and not (
        timed and math.isclose(summary.speedup_measured, plain.wall_s / summary.wall_s, rel_tol=TOLERANCE)
    ):
        yield f"speedup_measured {summary.speedup_measured:.4g} is not plain decoding's time over the run's"
    at = next((i for i, (a, b) in enumerate(zip(run.output_ids, plain.output_ids, strict=False)) if a != b), None)
    if at is None and len(run.output_ids) != len(plain.output_ids):
        at = min(len(run.output_ids), len(plain.output_ids))
    if summary.first_divergence_vs_ar != at:
        yield f"first_divergence_vs_ar is {summary.first_divergence_vs_ar}, the outputs differ at {at}"


def _same(a: Any, b: Any) -> bool:
    """Equal up to rounding, in depth."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-15)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        return len(a) == len(b) and all(map(_same, a, b))
    if hasattr(a, "__dict__") and type(a) is type(b):
        return _same(vars(a), vars(b))
    return bool(a == b)


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"

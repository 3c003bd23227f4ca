"""The whole comparison, a pure function of traces: fresh, opened or recorded ones alike."""

from __future__ import annotations

from collections.abc import Sequence

from app.compare.contestants import LETTERS, fit_together, reference_of
from app.compare.parting import parting
from app.compare.race import engine_ms, lane_rounds, lane_tokens
from app.compare.table import numbers
from app.compare.views import Comparison, Lane
from app.compare.why import why
from respec_core.methods.registry import METHODS
from respec_core.trace.schema import Run
from respec_core.trace.speed import Speed, speed_of


def compared(runs: Sequence[Run], speeds: Sequence[Speed | None] = ()) -> Comparison:
    """``runs`` beside each other.

    Args:
        speeds: × plain of each, measured for this comparison; empty for what the traces hold.

    Raises:
        ReSpecError: for runs that cannot be compared, see :func:`app.compare.contestants.fit_together`.
    """
    fit_together(runs)
    timed = list(speeds) or [speed_of(run) for run in runs]
    reference = reference_of(runs)
    names = [name_of(letter, run) for letter, run in zip(LETTERS, runs, strict=False)]
    lanes = [
        _lane(letter, run, speed).model_copy(
            update={"parting": parting(run, runs[reference], (names[i], names[reference]))}
        )
        for i, (letter, run, speed) in enumerate(zip(LETTERS, runs, timed, strict=False))
    ]
    return Comparison(
        prompt=list(runs[0].prompt_pieces) or [runs[0].prompt_text],
        prompt_tokens=len(runs[0].prompt_ids),
        reference=reference,
        lanes=tuple(lanes),
        why=why(runs, names, timed),
    )


def title_of(run: Run) -> str:
    """The method's title; its name, where it is not installed."""
    return next((method.title for method in METHODS if method.name == run.method), run.method)


def name_of(letter: str, run: Run) -> str:
    """How sentences call a run: two of one method have different letters."""
    return f"{letter} ({title_of(run)})"


def _lane(letter: str, run: Run, speed: Speed | None) -> Lane:
    target = run.models.get("target", {})
    said = [str(target[name]) for name in ("name", "device", "dtype") if name in target]
    return Lane(
        letter=letter,
        method=run.method,
        title=title_of(run),
        paper=next((method.paper for method in METHODS if method.name == run.method), ""),
        run_id=run.run_id,
        target=" · ".join(said),
        numbers=numbers(run, speed),
        parting=None,
        prefill_ms=1e3 * run.summary.prefill_s if run.summary else 0.0,
        total_ms=engine_ms(run),
        rounds=lane_rounds(run),
        tokens=lane_tokens(run),
    )

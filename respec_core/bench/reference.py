"""A run beside plain decoding of the same prompt, both measured here, with nothing drawn."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from respec_core.methods.registry import plain_config
from respec_core.trace.differences import first_difference
from respec_core.trace.events import TraceFolder
from respec_core.trace.schema import ReferenceAR, Repeat, Run

if TYPE_CHECKING:
    from respec_core.bench.repeats import TurnsDone
    from respec_core.engine.decoding import Request
    from respec_core.methods.resources import Models

TURNS = 3
MEASURE_SECONDS = 60.0  # others wait for the engine: as many turns as fit, else the one timing each must do


def measuring(
    request: Request, run: Run, models: Models, seconds: float = MEASURE_SECONDS
) -> Generator[TurnsDone, None, Run]:
    """Decode ``request`` plainly, then plainly and as it was asked in turn, as often as fits into ``seconds``.

    Yields between all events of the engine, so that it can be closed at any point; returns ``run`` with its reference.
    """
    from respec_core.bench.repeats import TurnsDone, take_turns
    from respec_core.methods.running import decode

    start, folder = perf_counter(), TraceFolder()
    with closing(decode(replace(request, config=plain_config(request.config)), models)) as events:
        for event in events:
            folder.add(event)
            yield TurnsDone(0, 1 + 2 * TURNS)
    plain = folder.run()
    turns = _fitting(run, plain, seconds - (perf_counter() - start))
    repeats: tuple[Repeat, ...] = ()
    if turns:
        with closing(take_turns([request], models, turns)) as runs:
            while True:
                try:
                    progress = next(runs)
                except StopIteration as end:
                    (found,) = end.value
                    pairs = zip(found.seconds, found.plain, strict=True)
                    repeats = tuple(Repeat(run_s=own, plain_s=base) for own, base in pairs)
                    break
                yield TurnsDone(1 + progress.done, 1 + progress.total)
    return with_reference(run, plain, repeats)


def measured(request: Request, run: Run, models: Models, seconds: float = MEASURE_SECONDS) -> Run:
    """The same, all at once."""
    runs = measuring(request, run, models, seconds)
    while True:
        try:
            next(runs)
        except StopIteration as end:
            found: Run = end.value
            return found


def _fitting(run: Run, plain: Run, left: float) -> int:
    """How many turns there is time for; none where the run was plain decoding itself."""
    if run.method == plain.method:
        return 0
    one = sum(r.summary.wall_s + r.summary.prefill_s for r in (run, plain) if r.summary)
    return max(0, min(TURNS, int(left / one))) if one > 0 else 0


def with_reference(run: Run, plain: Run, repeats: Sequence[Repeat] = ()) -> Run:
    """``run`` with plain decoding's text and time, the ratio of the one timing each, and the first difference filled in."""
    assert run.summary is not None and plain.summary is not None
    reference = ReferenceAR(
        output_ids=plain.output_ids,
        output_text=plain.output_text,
        wall_s=plain.summary.wall_s,
        repeats=tuple(repeats),
    )
    ratio = reference.wall_s / run.summary.wall_s if run.summary.wall_s > 0 and reference.wall_s > 0 else None
    summary = run.summary.model_copy(
        update={
            "speedup_measured": ratio,
            "first_divergence_vs_ar": first_difference(run.output_ids, reference.output_ids),
        }
    )
    return run.model_copy(update={"summary": summary, "reference_ar": reference})

"""What a benchmark found: per question and method one measurement, and their aggregates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import mean
from typing import Any

from pydantic import BaseModel, ConfigDict

from respec_core.bench.comparison import Row
from respec_core.methods.size_rule import size_rule
from respec_core.trace.rates import trigger_rate
from respec_core.trace.repetition import find_loop
from respec_core.trace.schema import Run


class Measurement(BaseModel):
    """One method on one question. Times in seconds of decoding, prompt processing excluded; None if not timed.

    ``wrong``: it had to equal plain decoding, and does not.
    ``triggers``: whether the method decides to retrieve round by round; ``size``: the rule behind its draft sizes.
    """

    model_config = ConfigDict(frozen=True)
    question: str
    kind: str
    method: str
    tokens: int
    target_passes: int
    seconds: float | None
    plain_seconds: float | None
    equal: bool
    relaxed_accepts: int
    triggered: int
    retrieved: int
    hits: int
    wrong: bool = False
    drafted: int = 0
    accepted: int = 0
    triggers: bool = False
    loops: bool = False
    size: str | None = None

    @classmethod
    def of(cls, question: str, kind: str, method: str, row: Row, plain: Run) -> Measurement:
        """From a comparison's row. ``retrieved``: rounds that verified retrieved tokens; ``hits``: those that took one."""
        run, summary = row.run, row.run.summary
        assert summary is not None
        assert plain.summary is not None
        rounds = [step for step in run.steps if step.decision.chosen == "retrieval"]
        return cls(
            question=question,
            kind=kind,
            method=method,
            tokens=summary.tokens,
            target_passes=summary.target_passes,
            seconds=None if row.time_ratio is None else summary.wall_s,
            plain_seconds=None if row.time_ratio is None else plain.summary.wall_s,
            equal=row.first_difference is None,
            relaxed_accepts=summary.relaxed_accepts,
            triggered=sum(step.decision.triggered for step in run.steps),
            retrieved=len(rounds),
            hits=sum(step.commit.n_accepted > 0 for step in rounds),
            wrong=row.must_be_equal and row.first_difference is not None,
            drafted=summary.drafted,
            accepted=sum(step.commit.n_accepted for step in run.steps),
            triggers=trigger_rate(run) is not None,
            loops=find_loop(run.output_ids) is not None,
            size=size_rule(run.settings),
        )


def aggregate(measurements: Iterable[Measurement]) -> dict[str, Any]:
    """``mat``, ``speedup``, ``tok_s``, ``tokens``, ``target_passes``, ``equal``, ``questions``, acceptance, trigger
    figures, texts that loop, and the rule behind the draft sizes. A rate without meaning is None.

    ``speedup`` is Spec-Bench's: mean tokens/s over questions, divided by plain decoding's mean; None if nothing was
    timed.
    """
    rows = [m for m in measurements if m.tokens]
    passes = sum(m.target_passes for m in rows)
    timed = [(m.tokens / m.seconds, m.tokens / m.plain_seconds) for m in rows if m.seconds and m.plain_seconds]
    ours, plain = (mean(rates) for rates in zip(*timed, strict=True)) if timed else (None, None)
    retrieved = sum(m.retrieved for m in rows)
    drafted = sum(m.drafted for m in rows)
    triggering = any(m.triggers for m in rows)
    return {
        "mat": sum(m.tokens for m in rows) / passes if passes else 0.0,
        "speedup": ours / plain if ours is not None and plain else None,
        "tok_s": ours,
        "tokens": sum(m.tokens for m in rows),
        "target_passes": passes,
        "equal": all(m.equal for m in rows),
        "questions": len(rows),
        "relaxed_accepts": sum(m.relaxed_accepts for m in rows),
        "acceptance": sum(m.accepted for m in rows) / drafted if drafted else None,
        "trigger_rate": sum(m.triggered for m in rows) / passes if triggering else None,
        "retrieval_rate": retrieved / passes if passes else 0.0,
        "trigger_precision": sum(m.hits for m in rows) / retrieved if retrieved else None,
        "loops": sum(m.loops for m in rows),
        "size": next((m.size for m in rows), None),
    }


def table(measurements: Iterable[Measurement]) -> dict[str, Any]:
    """``{"kinds": {kind: {method: aggregate}}, "overall": {method: aggregate}}``."""
    by_kind: dict[str, dict[str, list[Measurement]]] = defaultdict(lambda: defaultdict(list))
    by_method: dict[str, list[Measurement]] = defaultdict(list)
    for m in measurements:
        by_kind[m.kind][m.method].append(m)
        by_method[m.method].append(m)
    return {
        "kinds": {kind: {name: aggregate(ms) for name, ms in methods.items()} for kind, methods in by_kind.items()},
        "overall": {name: aggregate(ms) for name, ms in by_method.items()},
    }

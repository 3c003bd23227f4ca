"""What a benchmark found: per question and method one measurement, and their aggregates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from respec_core.bench.comparison import Row
from respec_core.bench.intervals import Interval, bootstrap
from respec_core.methods.size_rule import size_rule
from respec_core.trace.rates import trigger_rate
from respec_core.trace.repetition import find_loop
from respec_core.trace.rule_estimate import Estimate, added
from respec_core.trace.schema import Run


class Measurement(BaseModel):
    """One method on one question. ``seconds`` of decoding alone, ``prompt_seconds`` before; None if not timed.

    ``counted``: on known text, the target did not decode it. ``wrong``: it had to equal plain decoding, and does not.
    ``rule`` verified it; ``first_difference`` is the output position where its text leaves plain decoding's; ``estimate`` is
    what recorded decisions of a strict run had promised of the rule.
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
    prompt_seconds: float | None = None
    plain_prompt_seconds: float | None = None
    counted: bool = False
    rule: str = "strict"
    first_difference: int | None = None
    estimate: Estimate | None = None

    @classmethod
    def of(
        cls, question: str, kind: str, method: str, row: Row, plain: Run, estimate: Estimate | None = None
    ) -> Measurement:
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
            prompt_seconds=None if row.time_ratio is None else summary.prefill_s,
            plain_prompt_seconds=None if row.time_ratio is None else plain.summary.prefill_s,
            counted=row.counted,
            rule=run.settings.verify.rule,
            first_difference=row.first_difference,
            estimate=estimate,
        )


@dataclass(frozen=True)
class _Rates:
    """Tokens/s of the timed questions, and plain decoding's of the same."""

    ours: NDArray[np.float64]
    plain: NDArray[np.float64]

    @classmethod
    def of(cls, timed: Iterable[tuple[int, float | None, float | None]]) -> _Rates:
        rates = [(tokens / ours, tokens / plain) for tokens, ours, plain in timed if ours and plain]
        ours, plain = np.array(rates, dtype=float).reshape(-1, 2).T
        return cls(ours, plain)

    @property
    def tok_s(self) -> float | None:
        return float(self.ours.mean()) if len(self.ours) else None

    @property
    def speedup(self) -> float | None:
        return float(self.ours.mean() / self.plain.mean()) if len(self.ours) else None

    @property
    def interval(self) -> Interval | None:
        ours, plain = self.ours, self.plain
        return bootstrap(len(ours), lambda drawn: ours[drawn].mean(-1) / plain[drawn].mean(-1))


def _sum(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else before + after


def _mat_interval(rows: Sequence[Measurement]) -> Interval | None:
    tokens, passes = (np.array([getattr(m, name) for m in rows], dtype=float) for name in ("tokens", "target_passes"))
    return bootstrap(len(rows), lambda drawn: tokens[drawn].sum(-1) / passes[drawn].sum(-1))


def aggregate(measurements: Iterable[Measurement]) -> dict[str, Any]:
    """``mat``, ``speedup``, ``tok_s``, ``tokens``, ``target_passes``, ``equal``, ``questions``, acceptance, nodes a pass,
    trigger figures, texts that loop, and the rule behind the draft sizes. A rate without meaning is None.

    A speed-up is, as in Spec-Bench, the mean of tokens/s over questions divided by plain decoding's mean; None if
    nothing was timed. ``speedup_with_prompt`` counts the time before the first round too, as Spec-Bench does;
    ``speedup_without_prompt``, also called ``speedup``, is of decoding alone. Intervals are over prompts.

    Of a lossy ``rule``: ``divergences``, accepted tokens in 100 that are not the target's own; ``differing`` texts and the
    median of where they leave plain decoding's; ``estimated_mat`` and ``estimated_divergences``, None where nothing was
    recorded to estimate from.
    """
    rows = [m for m in measurements if m.tokens]
    passes = sum(m.target_passes for m in rows)
    alone = _Rates.of((m.tokens, m.seconds, m.plain_seconds) for m in rows)
    whole = _Rates.of(
        (m.tokens, _sum(m.prompt_seconds, m.seconds), _sum(m.plain_prompt_seconds, m.plain_seconds)) for m in rows
    )
    retrieved = sum(m.retrieved for m in rows)
    drafted = sum(m.drafted for m in rows)
    tokens, relaxed = sum(m.tokens for m in rows), sum(m.relaxed_accepts for m in rows)
    left = [m.first_difference for m in rows if m.first_difference is not None]
    promised = added([m.estimate for m in rows])
    triggering = any(m.triggers for m in rows)
    return {
        "mat": tokens / passes if passes else 0.0,
        "mat_interval": _mat_interval(rows),
        "nodes_per_pass": drafted / passes if passes else 0.0,
        "speedup": alone.speedup,
        "speedup_without_prompt": alone.speedup,
        "speedup_without_prompt_interval": alone.interval,
        "speedup_with_prompt": whole.speedup,
        "speedup_with_prompt_interval": whole.interval,
        "tok_s": alone.tok_s,
        "tokens": tokens,
        "target_passes": passes,
        "equal": all(m.equal for m in rows),
        "questions": len(rows),
        "relaxed_accepts": relaxed,
        "rule": next((m.rule for m in rows), "strict"),
        "divergences": 100 * relaxed / tokens if tokens else 0.0,
        "differing": len(left),
        "first_difference": median(left) if left else None,
        "estimated_mat": promised.tokens_per_pass if promised else None,
        "estimated_divergences": promised.per_hundred if promised else None,
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

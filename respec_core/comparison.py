"""The same prompt through several methods: equal text or where it parts, passes, and time against plain decoding."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from respec_core.config import RunConfig
from respec_core.decoding import Request, complete
from respec_core.models import Models
from respec_core.trace import Run

BASELINE = "vanilla"
WARM_UP_TOKENS = 4


@dataclass(frozen=True)
class Row:
    """One method against plain decoding.

    Attributes:
        run: the fastest of the repeats.
        plain: plain decoding of the same prompt, the fastest of the repeats.
        time_ratio: plain decoding's decode seconds divided by this method's, best of the repeats each.
        first_difference: first output position that differs from plain decoding, None if equal.
        tie_margin: logit gap of plain decoding's two best tokens there; a tiny gap in bf16 is a numeric tie.
    """

    run: Run
    plain: Run
    time_ratio: float
    first_difference: int | None
    tie_margin: float | None

    @property
    def must_be_equal(self) -> bool:
        """Strict greedy decoding in fp32 has to equal plain decoding, token for token."""
        config = self.run.config
        strict = config["verify"]["rule"] == "strict" and config["sampling"]["temperature"] == 0
        return strict and self.run.models["target"]["dtype"] == "fp32"


def compare(
    request: Request,
    configs: Sequence[RunConfig],
    models: Models,
    repeat: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Row, ...]:
    """Run every config on ``request``'s prompt, interleaved ``repeat`` times after a warm-up.

    The plain baseline is run too, whether listed or not; rows come in the order of ``configs``.
    """
    baseline = request.config.model_copy(update={"method": BASELINE, "params": {}})
    everyone = [baseline, *(c for c in configs if c.method != BASELINE)]
    short = baseline.stopping.model_copy(update={"max_new_tokens": WARM_UP_TOKENS})
    complete(replace(request, config=baseline.model_copy(update={"stopping": short})), models)
    best: dict[int, Run] = {}
    for _ in range(repeat):
        for i, config in enumerate(everyone):
            progress(config.method)
            run = complete(replace(request, config=config), models)
            if i not in best or _seconds(run) < _seconds(best[i]):
                best[i] = run
    plain = best[0]
    rows = {id(config): _row(best[i], plain) for i, config in enumerate(everyone)}
    return tuple(rows[id(baseline)] if c.method == BASELINE else rows[id(c)] for c in configs)


def _row(run: Run, plain: Run) -> Row:
    at = first_difference(run.output_ids, plain.output_ids)
    margin = None
    if at is not None and at < len(plain.tokens) and len(plain.tokens[at].top) > 1:
        first, second = plain.tokens[at].top[:2]
        margin = math.log(first.p) - math.log(max(second.p, 1e-30))
    ratio = _seconds(plain) / _seconds(run) if _seconds(run) else 1.0
    return Row(run, plain, ratio, at, margin)


def _seconds(run: Run) -> float:
    return run.summary.wall_s if run.summary else 0.0


def first_difference(ours: Sequence[int], theirs: Sequence[int]) -> int | None:
    """First index at which two sequences differ; None if they are equal."""
    for i, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return i
    return None if len(ours) == len(theirs) else min(len(ours), len(theirs))

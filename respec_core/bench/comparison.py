"""The same prompt through several methods: equal text or where it parts, passes, and time against plain decoding."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from respec_core.bench.known_text import KnownLoaded, KnownText
from respec_core.engine.decoding import Request
from respec_core.errors import ReSpecError
from respec_core.methods.registry import BASELINE, find_method, plain_config
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.settings.run_config import RunConfig
from respec_core.trace.differences import first_difference, repeats_itself
from respec_core.trace.schema import Run

WARM_UP_TOKENS = 4


@dataclass(frozen=True)
class Row:
    """One method against plain decoding.

    Attributes:
        run: the fastest of the repeats.
        plain: plain decoding of the same prompt with the run's own sampling and stops, the fastest of the repeats.
        time_ratio: plain decoding's decode seconds divided by this method's, best of the repeats each; None if not timed.
        first_difference: first output position that differs from plain decoding, None if equal.
        counted: on known text; else the target decoded it.
        tie_margin: logit gap of plain decoding's two best tokens there; a tiny gap in bf16 is a numeric tie.
    """

    run: Run
    plain: Run
    time_ratio: float | None
    first_difference: int | None
    tie_margin: float | None
    counted: bool = False

    @property
    def must_be_equal(self) -> bool:
        """Strict greedy decoding in fp32 or int8 has to equal plain decoding, token for token."""
        return self.run.settings.lossless and repeats_itself(self.run.models)


def compare(
    request: Request,
    configs: Sequence[RunConfig],
    models: Models,
    repeat: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Row, ...]:
    """Run every config on ``request``'s prompt, interleaved ``repeat`` times after a warm-up.

    Each is held against plain decoding with its own sampling and stops, whether listed or not; configs that share them
    share that run. Rows come in the order of ``configs``.
    """
    configs = [_as_run(config) for config in configs]
    baselines = [plain_config(config) for config in configs]
    everyone = {_key(config): config for config in (*baselines, *configs)}
    short = baselines[0].stopping.model_copy(update={"max_new_tokens": WARM_UP_TOKENS})
    complete(replace(request, config=baselines[0].model_copy(update={"stopping": short})), models)
    best: dict[str, Run] = {}
    for _ in range(repeat):
        for key, config in everyone.items():
            progress(config.method)
            run = complete(replace(request, config=config), models)
            if key not in best or _seconds(run) < _seconds(best[key]):
                best[key] = run
    pairs = zip(configs, baselines, strict=True)
    return tuple(_row(best[_key(config)], best[_key(plain)]) for config, plain in pairs)


def count_on_known_text(
    request: Request, configs: Sequence[RunConfig], models: Models, *, decode_others: bool = False
) -> tuple[Row, ...]:
    """Tokens and passes as :func:`compare` counts them, at the cost of drafting alone; nothing is timed.

    Plain decoding writes the text once, for each sampling and stops asked for; the methods then run on a target that
    looks it up.

    Args:
        decode_others: really decode what known text cannot tell, see :func:`_untold`, instead of refusing it.

    Raises:
        ReSpecError: for sizes that follow the clock, and for what known text cannot tell.
    """
    configs = [_as_run(config) for config in configs]
    untold = {_key(config): _untold(config, models) for config in configs}
    for config in configs:
        _refuse_clock(config)
        if (why := untold[_key(config)]) and not decode_others:
            raise ReSpecError(why)
    baselines = {_key(plain): plain for plain in map(plain_config, configs)}
    runs = {key: complete(replace(request, config=plain), models) for key, plain in baselines.items()}
    known = {key: KnownText(models.target, request.prompt_ids, run.output_ids) for key, run in runs.items()}
    rows = []
    for config in configs:
        key, plain = _key(config), _key(plain_config(config))
        if key not in runs:
            text = None if untold[key] else KnownLoaded(models, known[plain])
            runs[key] = complete(replace(request, config=config), models, text)
        counted = key != plain and not untold[key]
        rows.append(replace(_row(runs[key], runs[plain]), time_ratio=None, counted=counted))
    return tuple(rows)


def _as_run(config: RunConfig) -> RunConfig:
    """``config`` without what its run does not depend on: plain decoding drafts nothing, so no size and no rule counts."""
    return plain_config(config) if config.method == BASELINE.name else config


def _key(config: RunConfig) -> str:
    """Equal for equal runs."""
    return config.model_dump_json()


def _untold(config: RunConfig, models: Models) -> str:
    """Why known text cannot tell this run; empty if it can."""
    if not config.lossless:
        return f"Only strict greedy runs can be counted on known text; {config.method} is set otherwise."
    if find_method(config.method).learns_from_rejected(config.params, models.meets):
        return f"{config.method} so set learns from rejected tokens, which known text does not tell."
    return ""


def _refuse_clock(config: RunConfig) -> None:
    if config.drafting.budget_rule == "auto":
        raise ReSpecError(
            "The draft size auto follows the clock, and counting on known text has none: choose own or a number."
        )


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

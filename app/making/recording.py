"""Several runs on one prompt, recorded in turn with nothing drawn, each beside plain decoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from respec_core.bench.reference import with_reference
from respec_core.methods.registry import BASELINE, plain_config
from respec_core.methods.running import decode
from respec_core.trace.events import TraceFolder
from respec_core.trace.schema import Repeat, Run

if TYPE_CHECKING:
    from respec_core.engine.decoding import Request
    from respec_core.methods.resources import Models

TURNS = 3


def recorded(wanted: Sequence[tuple[Request, Models]], turns: int = TURNS) -> list[Run]:
    """The fastest run of each request, with the times of all: the least disturbed by whatever else the machine did.

    Plain decoding of the same settings is run once a turn, however many are held against it; each turn begins with another.
    """
    plain = [replace(request, config=plain_config(request.config)) for request, _ in wanted]
    everyone = {_key(request): (request, models) for request, models in wanted}
    everyone |= {_key(base): (base, models) for base, (_, models) in zip(plain, wanted, strict=True)}
    order = list(everyone)
    runs: dict[str, list[Run]] = {key: [] for key in order}
    for turn in range(turns):
        start = turn % len(order)
        for key in [*order[start:], *order[:start]]:
            folder = TraceFolder()
            for event in decode(*everyone[key]):
                folder.add(event)
            runs[key].append(folder.run())
    return [_beside(runs[_key(own)], runs[_key(base)]) for (own, _), base in zip(wanted, plain, strict=True)]


def _key(request: Request) -> str:
    return request.config.model_dump_json()


def _beside(own: Sequence[Run], plain: Sequence[Run]) -> Run:
    """Of plain decoding itself there are no repeats: it would be held against the same runs."""
    pairs = zip(own, plain, strict=True) if own[0].method != BASELINE.name else ()
    repeats = [Repeat(run_s=_seconds(run), plain_s=_seconds(base)) for run, base in pairs]
    return with_reference(min(own, key=_seconds), min(plain, key=_seconds), repeats)


def _seconds(run: Run) -> float:
    return run.summary.wall_s if run.summary else 0.0

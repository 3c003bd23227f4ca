"""A run's numbers: what it was set to and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.compare.race import drafting_ms, engine_ms
from app.compare.views import ChangedSetting, LaneNumbers, Share, SourceShare
from app.setup import setup_of
from respec_core.trace.notes import notes
from respec_core.trace.rates import Rate, level_acceptance, told, trigger_rate
from respec_core.trace.schema import Run, Token
from respec_core.trace.speed import Speed


def numbers(run: Run, speed: Speed | None) -> LaneNumbers:
    """All numbers of a run with tokens."""
    setup = setup_of(run.settings)
    passes, spent = len(run.steps), engine_ms(run)
    nodes = sum(len(step.trees.final) - 1 for step in run.steps)
    return LaneNumbers(
        preset=setup["preset"],
        changed=tuple(ChangedSetting(**setting) for setting in setup["changed"]),
        tokens=len(run.tokens),
        passes=passes,
        per_pass=len(run.tokens) / passes,
        speed=speed,
        acceptance=_share(level_acceptance(run)),
        trigger=_share(trigger_rate(run)),
        sources=sources(run.tokens),
        drafting=drafting_ms(run) / spent if spent else None,
        nodes=nodes / passes if nodes else None,
        finish=run.finish_reason,
        notes=notes(run),
    )


def sources(tokens: Sequence[Token]) -> tuple[SourceShare, ...]:
    """Who proposed the text, the largest share first; a token that several proposed counts for all of them together."""
    counts = Counter(token.source or "target" for token in tokens)
    return tuple(SourceShare(source=source, tokens=n, share=n / len(tokens)) for source, n in counts.most_common())


def _share(rate: Rate | None) -> Share:
    if rate is None:
        return Share(part=None, whole=None, text=told(rate))
    return Share(part=rate.part, whole=rate.whole, text=told(rate))

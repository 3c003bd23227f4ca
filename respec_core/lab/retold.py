"""A replay as a trace, for whatever reads traces. What no recording holds is left out, and its times are predicted.

Of tokens beyond the target's five likeliest no probability is known; forwards take what the text's cost curve says, committing
included, drafting what it took when it was recorded; where sizes follow the clock, what that clock said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from respec_core.engine.pieces import Pieces
from respec_core.engine.probabilities import Opinions
from respec_core.engine.stopping import Cut
from respec_core.engine.tracing import Verified, draft_nodes, trace_round
from respec_core.engine.verification import Verdict
from respec_core.lab.atlas import Atlas
from respec_core.lab.playing import Player
from respec_core.lab.recorded_models import Stage
from respec_core.lab.recorded_text import RecordedText
from respec_core.lab.replay import ending
from respec_core.lab.words import RecordedPieces
from respec_core.settings.run_config import RunConfig
from respec_core.trace.cost_curve import CostCurve
from respec_core.trace.events import Committed, Event, RunFinished, RunStarted, folded
from respec_core.trace.schema import Run, run_digest

VARIANT = "replayed: times are predicted, not measured"


def retold(atlas: Atlas, stage: Stage, config: RunConfig) -> Run:
    """The trace of ``config`` on a text of the atlas.

    Raises:
        ReSpecError: for what cannot be replayed, or was not recorded.
    """
    return folded(_events(atlas, stage, config))


def _events(atlas: Atlas, stage: Stage, config: RunConfig) -> Iterator[Event]:
    text = stage.text
    length, finish = ending(text, config)
    words = text.words
    pieces = RecordedPieces(words) if words else Pieces(None)
    texts = words.texts if words else tuple(map(pieces.piece, text.output_ids))
    player, at, i, spent = Player(stage, config, length, pieces), 0, 0, 0.0
    yield RunStarted(_head(atlas, stage, config, pieces))
    while at < length:
        drafted = player.draft(at)
        nodes = draft_nodes(drafted.draft.tree, pieces)
        emitted = text.output_ids[at : min(at + len(drafted.path) + 1, length)]
        path, end = drafted.path[: len(emitted)], at + len(emitted)
        hits = player.commit(drafted, drafted.draft.tree, path, emitted)
        cut = Cut(texts[at:end], finish if end == length else None)
        own = text.output_ids[at + len(drafted.path)] if at + len(drafted.path) < length else 0
        verdict = Verdict(drafted.path, own, (None,) * (len(drafted.path) + 1), {})
        seen, written = _Seen.of_text(text, at, end), len(text.prompt_ids) + at
        done = Verified(i, written, drafted.decision, drafted.draft, nodes, hits, verdict, path, cut, seen)
        traced = trace_round(done, pieces)
        ms = {**drafted.clock.ms, **_judged(stage, len(drafted.draft.tree), player.sizer.costs)}
        spent += sum(ms.values())
        yield Committed(traced.step.model_copy(update={"phase_ms": ms}), traced.tokens)
        at, i = end, i + 1
    yield RunFinished(finish, spent / 1e3, 0.0)


def _judged(stage: Stage, nodes: int, clock: CostCurve | None) -> dict[str, float]:
    """Milliseconds of a forward, committing in it; as the ``clock`` that sizes followed went, where they did."""
    costs = clock or stage.costs
    return {"verify": costs.ms(nodes) if costs else 0.0, "commit": 0.0}


def _head(atlas: Atlas, stage: Stage, config: RunConfig, pieces: Pieces) -> Run:
    text = stage.text
    said = config.model_dump(mode="json")
    models = {**atlas.manifest.models, "replay": {"of": atlas.manifest.prompts, "times": "predicted"}}
    clock, costs = (atlas.target.costs, None) if config.drafting.budget_rule == "auto" else (None, stage.costs)
    return Run(
        run_id=run_digest(said, models, text.prompt_ids),
        method=config.method,
        variant=VARIANT,
        config=said,
        models=models,
        seed=config.sampling.seed,
        prompt_text=text.words.prompt if text.words else "",
        prompt_ids=text.prompt_ids,
        prompt_pieces=tuple(map(pieces.piece, text.prompt_ids)),
        cost_curve=clock.points if clock else (),
        predicted_by=costs.points if costs else (),
    )


class _Seen(Opinions):
    """The target's recorded opinions; beyond the likeliest tokens it has none."""

    @classmethod
    def of_text(cls, text: RecordedText, start: int, end: int) -> _Seen:
        tops = zip(text.top_ids[start:end].tolist(), text.top_p[start:end].tolist(), strict=True)
        top = tuple(tuple(zip(ids, ps, strict=True)) for ids, ps in tops)
        return cls(torch.empty(0), tuple(text.entropy[start:end].tolist()), top)

    def _look_up(self, row: int, tokens: Sequence[int]) -> Any:
        return [(None, None)] * len(tokens)


def rounds_of(run: Run, position: int) -> int:
    """The round that wrote an output position; the last where it lies behind the end."""
    tokens: Sequence[Any] = run.tokens
    return int(tokens[min(position, len(tokens) - 1)].round) if tokens else 0

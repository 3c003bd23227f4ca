"""Real runs in a recording's time: forwards take what the cost curve says, drafting what was recorded, all else nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from respec_core.bench.known_text import KnownLoaded
from respec_core.engine.decoding import Request
from respec_core.lab.recorded_models import Stage
from respec_core.methods.diffuspec.denoiser import Denoiser, DiffusionModel
from respec_core.methods.diffuspec.recorded import LOOK, RecordedDiffusion
from respec_core.methods.draft_model.recorded import RecordedDraftModel
from respec_core.methods.eagle.growing import Grower, Head, Promising
from respec_core.methods.eagle.recorded import RecordedHead
from respec_core.methods.parts.draft_model import Smaller
from respec_core.methods.recording import Elapsed
from respec_core.methods.resources import Models
from respec_core.methods.running import complete
from respec_core.trace.schema import Run


def paced_run(request: Request, models: Models, stage: Stage) -> Run:
    """A run that decodes with ``models`` and whose clock goes as ``stage`` was recorded."""
    time = Elapsed()
    loaded = KnownLoaded(models, PacedTarget(models.target, time))
    return complete(request, paced(models, stage, time), loaded, time.now)


class PacedModels(Models):
    """They fit, since what they stand for does."""

    def _check_fit(self) -> None:
        pass


def paced(models: Models, stage: Stage, time: Elapsed) -> Models:
    """Drafters that take their recorded time."""
    wrapped = {Head: (PacedHead, RecordedHead), DiffusionModel: (PacedDiffusion, RecordedDiffusion)}
    wrapped[Smaller] = (PacedDraftModel, RecordedDraftModel)
    others = []
    for one in models.others:
        found = next((pair for kind, pair in wrapped.items() if isinstance(one, kind)), None)
        record = found and next(other for other in stage.models.others if isinstance(other, found[1]))
        others.append(found[0](one, record, time) if found else one)
    return PacedModels(models.target, *others)


class PacedTarget:
    """A target whose forwards take what its curve says."""

    def __init__(self, model: Any, time: Elapsed) -> None:
        self._model, self._time = model, time

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def session(self, capacity: int, layers: Sequence[int] = ()) -> Any:
        session, costs = self._model.session(capacity, layers), self._model.costs
        forward = session.forward

        def timed(tree):
            self._time.add(costs.ms(len(tree)))
            return forward(tree)

        session.forward = timed
        return session


@dataclass(frozen=True)
class PacedHead(Head):
    own: Head
    record: RecordedHead
    time: Elapsed

    @property
    def said(self):
        return self.own.said

    def describe(self):
        return self.own.describe()

    def grower(self) -> Grower:
        grower = self.own.grower()
        grow = grower.grown

        def timed(context, top_k: int, levels: int, choose: Promising):
            position = len(context.ids) - context.prompt_len
            spent = iter(self.record.rows[top_k].ms[position].tolist())
            stopped = False

            def told(frontier):
                nonlocal stopped
                self.time.add(next(spent))
                chosen = choose(frontier)
                stopped = not chosen
                return chosen

            grown = grow(context, top_k, levels, told)
            if grown is not None and not stopped:
                self.time.add(next(spent))
            return grown

        grower.grown = timed
        return grower


@dataclass(frozen=True)
class PacedDiffusion(DiffusionModel):
    own: DiffusionModel
    record: RecordedDiffusion
    time: Elapsed

    def describe(self):
        return self.own.describe()

    def corpus_counts(self):
        return self.own.corpus_counts()

    def denoiser(self) -> Denoiser:
        denoiser = self.own.denoiser()
        observe, sure, fill, link = denoiser.observe, denoiser.sure, denoiser.filled, denoiser.linked
        at, looked = 0, False

        def observed(round):
            nonlocal at, looked
            at, looked = at + len(round.emitted), False
            observe(round)

        def look():
            nonlocal looked
            found = sure()
            if found is not None:
                looked = True
                self.time.add(LOOK * float(self.record.passes.ms[at]))
            return found

        def filled(ids, k: int, passes: int, width: int):
            self.time.add((1 - LOOK if looked else 1.0) * float(self.record.passes.ms[at]))
            return fill(ids, k, passes, width)

        def linked(ids, k: int, width: int):
            self.time.add((1 - LOOK if looked else 1.0) * float(self.record.linked.ms[at]))
            return link(ids, k, width)

        denoiser.observe, denoiser.sure, denoiser.filled, denoiser.linked = observed, look, filled, linked
        return denoiser


@dataclass(frozen=True)
class PacedDraftModel(Smaller):
    own: Smaller
    record: RecordedDraftModel
    time: Elapsed

    def describe(self):
        return self.own.describe()

    def drafter(self, settings):
        drafter = self.own.drafter(settings)
        propose, width = drafter.propose, 0 if settings.shape == "chain" else settings.tree_top_k

        def timed(context):
            draft = propose(context)
            grown = chain([draft.tree], (part.tree for part in draft.parts.values()))
            levels = max(max(tree.depths) for tree in grown)
            ms = self.record.rows[width].ms[len(context.ids) - context.prompt_len].tolist()
            if levels:
                context.clock.ms["draft"] += sum(ms[:levels])
            return draft

        drafter.propose = timed
        return drafter

"""Recording a text: plain decoding with all recorders looking on."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import closing

import numpy as np

from respec_core.engine.decoding import Request, decode
from respec_core.engine.drafting import Context, Draft
from respec_core.engine.probabilities import TOP
from respec_core.engine.routing import Plain
from respec_core.errors import ReSpecError
from respec_core.lab.recorded_text import RecordedText
from respec_core.lab.words import Words
from respec_core.methods.family import named
from respec_core.methods.needs import Resource
from respec_core.methods.recording import Recorder, Recording
from respec_core.methods.registry import RESOURCES, plain_config
from respec_core.methods.resources import Models
from respec_core.settings.declaring import Settings
from respec_core.trace.events import Committed, TraceFolder
from respec_core.trace.round import Decision

Options = Mapping[str, Settings]  # how much is recorded, by the resource's name


def recording_of(resource: Resource) -> Recording | None:
    """How ``resource`` is recorded; None if it is not."""
    found: Recording | None = named(resource.recording) if resource.recording else None
    return found


def recordable(models: Models) -> dict[str, Recording]:
    """Of what is loaded in ``models``, by the resource's name."""
    there = ((r.name, models.loaded(r), recording_of(r)) for r in RESOURCES)
    return {name: how for name, loaded, how in there if loaded is not None and how is not None and how.able(loaded)}


class Watched(Plain):
    """Plain decoding; every recorder is asked at every position."""

    def __init__(self, recorders: Mapping[str, Recorder]) -> None:
        self.drafters = tuple(recorders.values())

    def route(self, context: Context) -> tuple[Decision, Draft]:
        """Nothing is drafted."""
        for recorder in self.drafters:
            recorder.propose(context)
        return super().route(context)


def record(request: Request, models: Models, options: Options) -> RecordedText:
    """Decode ``request``'s prompt once, plainly, and record.

    Args:
        request: its sampling must be greedy.

    Raises:
        ReSpecError: for a prompt that does not fit, or sampling.
    """
    steps = record_steps(request, models, options)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: RecordedText = end.value
            return found


def record_steps(request: Request, models: Models, options: Options) -> Generator[int, None, RecordedText]:
    """As :func:`record`; yields how many tokens are written after each, and can be closed in between."""
    config = plain_config(request.config)
    if not config.lossless:
        raise ReSpecError("An atlas is recorded at temperature 0: a sampled text is another one in every run.")
    recorders = {
        resource.name: recording.recorder(models.loaded(resource), options[resource.name])
        for resource in RESOURCES
        if resource.name in options and (recording := recording_of(resource)) is not None
    }
    request = Request(config, request.prompt_ids, request.prompt_text, request.specials)
    folder, written = TraceFolder(), 0
    with closing(decode(request, Watched(recorders), models)) as events:
        for event in events:
            folder.add(event)
            if isinstance(event, Committed):
                written += 1
                yield written
    run = folder.run()
    tokens, shape = run.tokens, (len(run.tokens), min(TOP, models.target.vocab_size))
    columns = {name: recorder.columns() for name, recorder in recorders.items()}
    top_ids = np.array([[top.token for top in token.top] for token in tokens], np.int32).reshape(shape)
    named = [rows for found in columns.values() for rows in found.values() if rows.dtype == np.int32]
    met = np.unique(np.concatenate([run.prompt_ids, run.output_ids, *(rows.ravel() for rows in (top_ids, *named))]))
    return RecordedText(
        run.prompt_ids,
        run.output_ids,
        run.finish_reason,
        np.array([token.entropy for token in tokens], np.float32),
        top_ids,
        np.array([[top.p for top in token.top] for token in tokens], np.float32).reshape(shape),
        np.array([step.phase_ms["verify"] for step in run.steps], np.float32),
        columns,
        Words.of(run, models.pieces, met[met >= 0].astype(int).tolist()).column(),  # −1: no token
        np.array([step.phase_ms["commit"] for step in run.steps], np.float32),
    )

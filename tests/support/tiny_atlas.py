"""Prompts of a tiny model, recorded once, and the same as stages to replay on."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from tiny import VOCAB, id_store, tiny_block, tiny_head, tiny_model

from respec_core.engine.decoding import Request
from respec_core.lab.atlas import Atlas, AtlasWriter, manifest_of
from respec_core.lab.recorded_models import Stage
from respec_core.lab.recording import record, recordable
from respec_core.methods.diffuspec.recorded import DiffusionRecording
from respec_core.methods.eagle.recording import HeadRecording
from respec_core.methods.parts.draft_model import DraftModel
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models
from respec_core.retrieval.datastore import Datastore

WIDTHS, DEPTH = (1, 3, 8), 4
TOKENS = 32
RNG = np.random.default_rng(5)


def repeating() -> tuple[int, ...]:
    """A few tokens several times, now and then another one."""
    ids = np.tile(RNG.integers(0, VOCAB, RNG.integers(2, 9)), 5)
    noise = RNG.random(len(ids)) < 0.1
    return tuple(np.where(noise, RNG.integers(0, VOCAB, len(ids)), ids).tolist())


PROMPTS = [
    (3,),
    (5, 6),
    *(tuple(RNG.integers(0, VOCAB, n).tolist()) for n in (7, 20, 45)),
    *(repeating() for _ in range(7)),
]
SEEDS = (1, 2)


@cache
def models_of(seed: int) -> Models:
    store = id_store(list(range(5, 60)), [5, 6, 7, 8, 9, 10, 11, 40] * 4)
    target = tiny_model(seed=seed)
    head = tiny_head(target, seed=seed + 10)
    return Models(target, DraftModel(tiny_model(seed=seed + 1, layers=1)), store, head, tiny_block(head))


@cache
def atlas_of(seed: int) -> Atlas:
    """All prompts, recorded, written and read again."""
    models, config = models_of(seed), find_method("vanilla").configure({"max_new_tokens": TOKENS})
    options = {name: recording.options() for name, recording in recordable(models).items()}
    options["head"] = HeadRecording(widths=WIDTHS, depth=DEPTH, first=True)
    options["diffusion"] = DiffusionRecording(links=True)
    folder = Path(mkdtemp())
    writer = AtlasWriter(folder, manifest_of(models, config, options, "prompts"))
    for i, prompt in enumerate(PROMPTS):
        writer.add(str(i), "tiny", record(Request(config, prompt), models, options))
    return Atlas.open(folder)


@cache
def stage_of(seed: int, prompt: int) -> Stage:
    atlas = atlas_of(seed)
    return atlas.stage(atlas.manifest.texts[prompt], models_of(seed).get(Datastore))

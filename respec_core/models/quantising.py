"""Whether a target runs in int8 here: where that is exact to the last bit, which is tried once on each machine."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from respec_core.boundary.output import make_folder, write_text
from respec_core.errors import ReSpecError
from respec_core.models.checkpoints import Progress, cache_root
from respec_core.models.lean.self_test import exact_to_the_bit

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel

VERSION = 1  # of the int8 forward: what was found of another one is tried again


def quantised_or_not(model: LanguageModel, progress: Progress = lambda _: None) -> LanguageModel:
    """``model`` in int8; as it is, and ``progress`` told why, where int8 cannot be had or would not be exact."""
    if model.why_not_lean:
        progress(f"{model.name} cannot run in int8 ({model.why_not_lean}): it runs in {model.dtype_name}")
        return model
    quantised = model.in_int8()
    if not is_exact(quantised, progress):
        progress(f"int8 is not exact to the last bit on this machine: {model.name} runs in {model.dtype_name}")
        return model
    return quantised


def is_exact(model: LanguageModel, progress: Progress = lambda _: None) -> bool:
    """Whether verification in ``model`` equals plain decoding bit by bit here: as found before, else tried now."""
    with suppress(ReSpecError, OSError, ValueError):
        return json.loads(_verdict_file(model).read_text()) is True
    progress("comparing int8 blocks and trees with plain decoding, once")
    assert model.lean is not None
    exact = exact_to_the_bit(model.lean, model.vocab_size)
    with suppress(ReSpecError):  # a cache that cannot be written costs a test at every start, no more
        path = _verdict_file(model)
        make_folder(path.parent)
        write_text(path, json.dumps(exact))
    return exact


def _verdict_file(model: LanguageModel) -> Path:
    key = [VERSION, model.name, model.origin, model.n_layers, model.vocab_size, model.hardware]
    key += [torch.get_num_threads(), torch.__version__]
    return cache_root() / "exact" / f"{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:16]}.json"

"""Whether a target runs in int8 here: where that is exact to the last bit, which is tried once on each machine."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from respec_core.boundary.output import make_folder, write_text
from respec_core.errors import ReSpecError
from respec_core.models.checkpoints import Progress, cache_root
from respec_core.models.lean.int8 import processor_has_it
from respec_core.models.lean.self_test import exact_to_the_bit
from respec_core.models.lean.shape import why_not_lean

if TYPE_CHECKING:
    from respec_core.models.language_model import LanguageModel

VERSION = 3  # of the int8 forward: what was found of another one is tried again


def quantised_or_not(model: LanguageModel, progress: Progress = lambda _: None) -> LanguageModel:
    """``model`` in int8; where that cannot be had or would not be exact ``model`` itself, with a note that says why."""
    if not (why := why_not_int8(model)):
        quantised = model.in_int8()
        if is_exact(quantised, progress):
            return quantised
        why = "it is not exact to the last bit on this machine"
    model.note = f"{model.dtype_name} in place of int8: {why}"
    progress(model.note)
    return model


def may_be_int8(config: Any) -> bool:
    """Whether a model of this transformers configuration can be tried in int8 on this processor."""
    return processor_has_it() and why_not_lean(config) is None


def why_not_int8(model: LanguageModel) -> str | None:
    """Why int8 is not to be had, in a few words; None where it is, exact or not."""
    if model.device.type != "cpu" or not processor_has_it():
        return "it needs an x86 processor"
    return model.why_not_lean


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

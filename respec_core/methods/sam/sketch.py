"""How much SAM-Decoding may draft. Imports no torch."""

from __future__ import annotations

from respec_core.methods.parts.model_sketch import model_parts
from respec_core.methods.sam.settings import EMBEDDED_RECYCLING, SAMSettings
from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Sketch, branches


def sketch(config: RunConfig) -> Sketch:
    """One copy behind a long match, or the auxiliary drafter's tree."""
    settings = SAMSettings(**config.params)
    copy = branches("the copy", "dynamic", settings.n_predicts - 1)
    return Sketch((copy, *model_parts(settings.auxiliary, settings.head, EMBEDDED_RECYCLING)))

"""How much SuffixDecoding may draft. Imports no torch."""

from __future__ import annotations

from respec_core.methods.suffix.settings import SuffixSettings
from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Portion, Sketch


def sketch(config: RunConfig) -> Sketch:
    """A chain, or branches no more than tokens."""
    settings = SuffixSettings(**config.params)
    most, wide = min(settings.max_spec, settings.max_depth - 1), settings.max_spec if settings.form == "tree" else 1
    return Sketch((Portion("what followed", "dynamic", (wide,) * most, settings.max_spec),))

"""How much ReSpec may draft. Imports no torch."""

from __future__ import annotations

from respec_core.methods.parts.model_sketch import model_parts
from respec_core.methods.parts.trigger_sketch import triggered_sketch
from respec_core.methods.respec.settings import ReSpecSettings
from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Sketch


def sketch(config: RunConfig) -> Sketch:
    """Copies, and the fallback's draft beside them or instead."""
    settings = ReSpecSettings(**config.params)
    return triggered_sketch(config, settings, model_parts(settings.fallback, settings.head))

"""How much RACER may draft. Imports no torch."""

from __future__ import annotations

from respec_core.methods.racer.ranking import logits_levels
from respec_core.methods.racer.settings import RacerSettings
from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Portion, Sketch


def sketch(config: RunConfig) -> Sketch:
    """Both in one tree."""
    settings = RacerSettings(**config.params)
    most, reach = settings.total_nodes - 1, max(settings.ngram - settings.min_depth, 0)
    copied = Portion("remembered n-grams", "dynamic", (most,) * reach, most)
    levels = logits_levels(most, settings.max_breadth) if settings.max_breadth else ()
    return Sketch((copied, Portion("remembered successors", "logits", levels)), most, together=True)

"""How much ReSpec's copies and the model beside them may draft. Imports no torch."""

from __future__ import annotations

from respec_core.methods.parts.trigger_settings import TriggerSettings
from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Portion, Sketch, branches


def triggered_sketch(config: RunConfig, settings: TriggerSettings, model: tuple[Portion, ...]) -> Sketch:
    """Copies in branches, and the model's draft beside them or instead."""
    copies = branches("copies", "dynamic", settings.max_draft, settings.k_cand)
    together = settings.switch == "adaptive" or settings.when_triggered == "both"
    alone = max((part.most() for part in model), default=0)  # the model's own size is not cut
    by_clock = config.drafting.budget_rule == "auto"
    return Sketch(
        (copies, *model),
        None if by_clock else max(settings.all_nodes - 1, alone),
        beyond=settings.sure < 1,
        together=together and bool(model),
    )

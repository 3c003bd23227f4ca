"""How much a composed method may draft. Imports no torch."""

from __future__ import annotations

from respec_core.methods.custom.settings import BY_TREE, CustomSettings
from respec_core.methods.parts.model_sketch import model_parts
from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Portion, Sketch


def sketch(config: RunConfig) -> Sketch:
    """Every drafter's own, cut to one size."""
    settings = CustomSettings(**config.params)
    parts = tuple(part for name in settings.names for part in _parts(name, settings))
    by_clock = config.drafting.budget_rule == "auto"
    return Sketch(parts, None if by_clock else settings.nodes - 1, together=settings.fusion != "off")


def _parts(name: str, settings: CustomSettings) -> tuple[Portion, ...]:
    from respec_core.methods.registry import find_method  # which registers this family too

    if name in BY_TREE:
        return model_parts(name, settings.head)
    method = find_method(name)
    found = method.sketch(method.configure())
    return () if found is None else found.parts

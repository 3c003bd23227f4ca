"""Plain decoding: the method without a drafter."""

from __future__ import annotations

from respec_core.engine.routing import Plain, Router
from respec_core.methods.resources import Models
from respec_core.methods.vanilla.settings import VanillaSettings


def build(settings: VanillaSettings, models: Models) -> Router:
    """The baseline's router."""
    return Plain()

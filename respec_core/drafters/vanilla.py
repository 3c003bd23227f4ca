"""Plain decoding: the method without a drafter."""

from __future__ import annotations

from respec_core.method_settings import VanillaSettings
from respec_core.models import Models
from respec_core.routing import Plain, Router


def build(settings: VanillaSettings, models: Models) -> Router:
    """The baseline's router."""
    return Plain()

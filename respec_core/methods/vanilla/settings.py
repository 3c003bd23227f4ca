"""Plain decoding's settings: there are none. Imports no torch."""

from __future__ import annotations

from respec_core.settings.declaring import Settings


class VanillaSettings(Settings):
    """Plain decoding has nothing to set."""

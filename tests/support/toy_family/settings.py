"""Settings of the toy. Imports no torch."""

from __future__ import annotations

from respec_core.settings.declaring import Settings, knob


class ToySettings(Settings):
    """What the toy can be told."""

    reach: int = knob(
        4, "Reach", "Tokens drafted, if so many are remembered.", provenance="ours", ge=1, le=16, step=1, unit="tokens"
    )

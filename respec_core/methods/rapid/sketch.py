"""How much RAPID may draft. Imports no torch."""

from __future__ import annotations

from respec_core.settings.run_config import RunConfig
from respec_core.settings.sketch import Sketch, branches


def sketch(config: RunConfig) -> Sketch:
    """A chain."""
    return Sketch((branches("the target behind less", "model", config.params["draft_len"]),))

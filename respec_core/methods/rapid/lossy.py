"""What RAPID's transfer loses (arXiv 2502.20330). Imports no torch."""

from __future__ import annotations

from respec_core.settings.loss import Loss
from respec_core.settings.run_config import RunConfig

TRANSFER = Loss(
    "knowledge transfer · η",
    "The target is pulled towards the drafter, which reads less of the text: what the drafter thinks likely comes out too often.",
    "Both were sampled, and this run with knowledge transfer.",
)


def pulled(config: RunConfig) -> Loss | None:
    """Nothing at temperature 0 or with η = 0."""
    return TRANSFER if not config.greedy and config.params["eta"] else None

"""Whether a run is lossy, by its settings. Imports no torch."""

from __future__ import annotations

from respec_core.methods.registry import METHODS
from respec_core.settings.loss import LOSSY_RULES, Loss
from respec_core.settings.run_config import RunConfig


def losses(config: RunConfig) -> tuple[Loss, ...]:
    """Every way in which a run so set may leave plain decoding's text or, sampling, its distribution."""
    own = own_loss(config)
    rule = LOSSY_RULES.get(config.verify.rule)
    return tuple(loss for loss in (rule, own) if loss)


def own_loss(config: RunConfig) -> Loss | None:
    """What the method loses by settings of its own; nothing is known of a method that is not installed."""
    method = next((method for method in METHODS if method.name == config.method), None)
    return method.lossy(config) if method else None

"""A run's drafters by name: those of the registered methods, as these build them."""

from __future__ import annotations

from respec_core.engine.drafting import Drafter
from respec_core.methods.custom.settings import BY_TREE, CustomSettings
from respec_core.methods.parts.model_drafter import model_drafter
from respec_core.methods.registry import find_method
from respec_core.methods.resources import Models


def drafter_called(name: str, settings: CustomSettings, models: Models) -> Drafter:
    """A fresh one.

    Raises:
        ReSpecError: when the models lack what it needs.
    """
    if name in BY_TREE:
        return model_drafter(name, models, settings.head, "custom")
    method = find_method(name)
    (drafter,) = method.build(method.configure().params, models).drafters
    return drafter

"""Plain decoding, the baseline. Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.vanilla.settings import VanillaSettings
from respec_core.settings.serving import ENGINES, Equivalent

FAMILY = Family(
    "vanilla",
    (
        Method(
            "vanilla",
            "Plain decoding",
            "baseline",
            "One token a target pass; what every other method is measured against.",
            VanillaSettings,
            "respec_core.methods.vanilla.drafter:build",
            defaults=(("budget_rule", "own"),),
            presets=(),
            baseline=True,
            served=lambda params, beside: {engine: Equivalent("same") for engine in ENGINES},
        ),
    ),
)

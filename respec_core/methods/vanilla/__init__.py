"""Plain decoding, the baseline. Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.vanilla.settings import VanillaSettings
from respec_core.settings.serving import ENGINES, Equivalent
from respec_core.settings.sketch import Sketch

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
            front=("max_new_tokens", "temperature"),
            sketch=lambda config: Sketch(()),
            served=lambda params, beside: {engine: Equivalent("same") for engine in ENGINES},
        ),
    ),
)

"""Token Recycling (arXiv 2408.08696). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.recycling.settings import RecyclingSettings, recycled, scaled
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset
from respec_core.settings.sketch import Sketch

FAMILY = Family(
    "recycling",
    (
        Method(
            "recycling",
            "Token Recycling",
            "arXiv 2408.08696",
            "Every token remembers the successors the target last ranked best; they fill a static tree.",
            RecyclingSettings,
            "respec_core.methods.recycling.drafter:build",
            presets=(AUTO, paper_preset(), tuned_preset(tree_nodes=31)),
            learns_from_rejected=lambda params, has: True,
            front=("tree_nodes", "budget_rule", "max_new_tokens", "temperature"),
            sketch=lambda config: Sketch((recycled(scaled(config.params["tree_nodes"])),)),
        ),
    ),
)

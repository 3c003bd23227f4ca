"""RACER (arXiv 2604.14885). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.racer.record import RacerBudget
from respec_core.methods.racer.settings import RacerSettings
from respec_core.methods.racer.sketch import sketch
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset
from respec_core.settings.serving import nowhere
from respec_core.trace.traits import Traits

FAMILY = Family(
    "racer",
    (
        Method(
            "racer",
            "RACER",
            "arXiv 2604.14885",
            "What followed all ends of the text, the most frequent first; remembered successors fill the rest of the tree.",
            RacerSettings,
            "respec_core.methods.racer.drafter:build",
            presets=(AUTO, paper_preset(), tuned_preset(total_nodes=32)),
            learns_from_rejected=lambda params, has: params["max_breadth"] > 0,
            served=lambda params, beside: nowhere("None shares a tree between n-grams and remembered successors."),
            front=("total_nodes", "max_breadth", "ngram", "min_depth"),
            sketch=sketch,
            traits=Traits(levels=lambda params: True, score=None),
        ),
    ),
    records={"racer": RacerBudget},
    checks=(("racer", "respec_core.methods.racer.budget_check:budget_problems"),),
    panels=("app.panels.racer_budget:PANEL",),
)

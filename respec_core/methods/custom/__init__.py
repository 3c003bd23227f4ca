"""A method of the reader's own, composed of the studio's parts. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from respec_core.methods.custom.record import Composition
from respec_core.methods.custom.settings import CustomSettings
from respec_core.methods.custom.sketch import sketch
from respec_core.methods.family import Family, Method
from respec_core.methods.needs import Need
from respec_core.methods.parts.checks import TRIGGER
from respec_core.methods.parts.shared import MODEL_DRAFTER
from respec_core.settings.presets import AUTO, own_sizes, paper_preset, tuned_preset
from respec_core.settings.serving import nowhere
from respec_core.settings.several import names_in
from respec_core.trace.round import Rule
from respec_core.trace.traits import Traits

RULES: dict[str, Rule] = {"always": "always", "match": "match_len", "entropy": "entropy", "bandit": "bandit"}
NGRAM = 3  # of prompt lookup, as its own settings have it


def learns(params: Mapping[str, Any], has: Callable[[Need], bool]) -> bool:
    """It does where Token Recycling drafts, or ``auto`` without a model."""
    names = names_in(params["drafters"])
    return "recycling" in names or ("auto" in names and not has(MODEL_DRAFTER))


FAMILY = Family(
    "custom",
    (
        Method(
            "custom",
            "Your own",
            "its bandit: arXiv 2505.15141",
            "Compose one: who decides, who drafts, and whether two drafts share a tree.",
            CustomSettings,
            "respec_core.methods.custom.drafter:build",
            presets=(
                AUTO,
                paper_preset(explore=6.0),
                tuned_preset(),
                own_sizes("switched", "SAM-Decoding's switch in front of a model", router="match"),
                own_sizes("fused", "RASD's fusion in every round", router="always", fusion="foreseen"),
            ),
            learns_from_rejected=learns,
            served=lambda params, beside: nowhere(
                "None composes drafters; vLLM's method custom_class takes a proposer of your own."
            ),
            front=("router", "drafters", "fusion", "budget_rule"),
            sketch=sketch,
            traits=Traits(
                rule=lambda params: RULES[params["router"]],
                ngram=lambda params: NGRAM,
                levels=lambda params: True,
                score=None,
                one_size=True,
            ),
        ),
    ),
    records={"composition": Composition},
    checks=(("composition", "respec_core.methods.custom.composition_check:composition_problems"), TRIGGER),
    panels=("app.panels.fusion:PANEL", "app.panels.arms:PANEL"),
)

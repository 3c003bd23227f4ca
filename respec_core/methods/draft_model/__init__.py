"""Speculative decoding with a smaller model (arXiv 2211.17192). Imports no torch."""

from __future__ import annotations

from respec_core.methods.draft_model.serving import served
from respec_core.methods.draft_model.settings import DraftModelSettings
from respec_core.methods.family import Family, Method
from respec_core.methods.parts.shared import DRAFT_MODEL
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset
from respec_core.settings.sketch import Sketch
from respec_core.trace.traits import Traits

FAMILY = Family(
    "draft_model",
    (
        Method(
            "draft-model",
            "Draft model",
            "arXiv 2211.17192",
            "A smaller model with the same tokenizer guesses ahead.",
            DraftModelSettings,
            "respec_core.methods.draft_model.drafter:build",
            (DRAFT_MODEL,),
            presets=(AUTO, paper_preset(), tuned_preset(shape="tree", tree_nodes=31)),
            traits=Traits(samples=lambda params: params["shape"] == "chain"),
            served=served,
            front=("shape", "depth", "confidence_stop", "max_new_tokens"),
            sketch=lambda config: Sketch((DraftModelSettings(**config.params).part(),)),
        ),
    ),
)

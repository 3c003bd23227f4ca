"""RAPID (arXiv 2502.20330). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.rapid.lossy import pulled
from respec_core.methods.rapid.record import Shortening
from respec_core.methods.rapid.settings import RapidSettings
from respec_core.methods.rapid.sketch import sketch
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset
from respec_core.settings.serving import nowhere
from respec_core.trace.traits import Traits

FAMILY = Family(
    "rapid",
    (
        Method(
            "rapid",
            "RAPID",
            "arXiv 2502.20330",
            "The target itself drafts, behind the most relevant pieces of a long prompt; it pays with thousands of tokens only.",
            RapidSettings,
            "respec_core.methods.rapid.drafter:build",
            presets=(AUTO, paper_preset(chunk=512, kept_tokens=8192, eta=10.0), tuned_preset()),
            lossy=pulled,
            served=lambda params, beside: nowhere("None drafts with the target behind a shortened context."),
            front=("kept_tokens", "chunk", "draft_len", "temperature"),
            sketch=sketch,
            traits=Traits(samples=lambda params: True, transfers=lambda params: params["eta"] > 0),
        ),
    ),
    records={"rapid": Shortening},
    checks=(("rapid", "respec_core.methods.rapid.shortening_check:shortening_problems"),),
    panels=("app.panels.rapid:CONTEXT", "app.panels.rapid:TRANSFER"),
)

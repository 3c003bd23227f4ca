"""SuffixDecoding (arXiv 2411.04975). Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.suffix.record import SuffixChoice
from respec_core.methods.suffix.serving import served
from respec_core.methods.suffix.settings import SuffixSettings
from respec_core.methods.suffix.sketch import sketch
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset
from respec_core.trace.traits import Traits

FAMILY = Family(
    "suffix",
    (
        Method(
            "suffix",
            "SuffixDecoding",
            "arXiv 2411.04975",
            "What followed every earlier match is counted; the draft that promises most is sent, be its match shorter.",
            SuffixSettings,
            "respec_core.methods.suffix.drafter:build",
            presets=(AUTO, paper_preset(), tuned_preset(form="tree", max_spec=31)),
            served=served,
            front=("form", "max_spec", "spec_factor", "min_prob"),
            sketch=sketch,
            traits=Traits(levels=lambda params: True, score=None),
        ),
    ),
    records={"suffix": SuffixChoice},
    checks=(("suffix", "respec_core.methods.suffix.choice_check:choice_problems"),),
    panels=("app.panels.suffix_matches:PANEL",),
)

"""ReSpec (arXiv 2511.01282), relaxed and strict. Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.parts.checks import FEEDBACK, LONGEST_MATCH, TRIGGER
from respec_core.methods.parts.head_tree import EAGLE2_CODE
from respec_core.methods.parts.learning import recycles
from respec_core.methods.respec.settings import ReSpecSettings
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset
from respec_core.trace.traits import Traits

# the paper gives no sizes of its fallback, EAGLE-2: those of that method's code
EAGLE2_SIZES = {
    "fallback_nodes": EAGLE2_CODE.nodes,
    "fallback_depth": EAGLE2_CODE.depth,
    "fallback_top_k": EAGLE2_CODE.top_k,
}
TRIGGERED = Traits(rule="entropy", reads=lambda params: int(params["max_draft"]))

FAMILY = Family(
    "respec",
    (
        Method(
            "respec",
            "ReSpec",
            "arXiv 2511.01282",
            "Low entropy triggers retrieval of scored candidates, retrieved tokens pass a relaxed check (lossy); else a model drafts.",
            ReSpecSettings,
            "respec_core.methods.respec.drafter:build",
            defaults=(("rule", "relaxed"),),
            presets=(AUTO, paper_preset(**EAGLE2_SIZES), tuned_preset()),
            learns_from_rejected=recycles("fallback"),
            traits=TRIGGERED,
        ),
        Method(
            "respec-strict",
            "ReSpec, strict",
            "arXiv 2511.01282",
            "ReSpec's trigger and candidates under the strict rule: the text is plain decoding's.",
            ReSpecSettings,
            "respec_core.methods.respec.drafter:build",
            presets=(AUTO, paper_preset(**EAGLE2_SIZES), tuned_preset()),
            learns_from_rejected=recycles("fallback"),
            traits=TRIGGERED,
        ),
    ),
    checks=(FEEDBACK, TRIGGER, LONGEST_MATCH),
)

"""ReSpec (arXiv 2511.01282), relaxed and strict. Imports no torch."""

from __future__ import annotations

from respec_core.methods.family import Family, Method
from respec_core.methods.parts.checks import FEEDBACK, LONGEST_MATCH, SWITCH, TRIGGER
from respec_core.methods.parts.head_tree import EAGLE2_CODE
from respec_core.methods.parts.learning import recycles
from respec_core.methods.parts.trigger_margin import entropy_margin
from respec_core.methods.parts.trigger_traits import triggered
from respec_core.methods.respec.settings import ReSpecSettings
from respec_core.methods.respec.sketch import sketch
from respec_core.settings.presets import AUTO, paper_preset, tuned_preset
from respec_core.settings.serving import nowhere

# the paper gives no sizes of its fallback, EAGLE-2: those of that method's code
PAPER = {
    "switch": "gate",
    "scored_by": "position",
    "suffix_levels": 1,
    "resume_window": 0,
    "s0": 0.5,
    "theta_score": 0.5,
    "max_draft": 32,
    "when_triggered": "retrieval",
    "all_nodes": 129,
    "sure": 1.0,
    "fallback_nodes": EAGLE2_CODE.nodes,
    "fallback_depth": EAGLE2_CODE.depth,
    "fallback_top_k": EAGLE2_CODE.top_k,
}

NO_TRIGGER = "None retrieves by entropy; vLLM's method custom_class takes a proposer of your own."

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
            presets=(AUTO, paper_preset(**PAPER), tuned_preset()),
            learns_from_rejected=recycles("fallback"),
            served=lambda params, beside: nowhere(NO_TRIGGER),
            front=("switch", "fallback", "rule", "max_new_tokens"),
            sketch=sketch,
            margins={"theta_entropy": entropy_margin},
            traits=triggered(),
        ),
        Method(
            "respec-strict",
            "ReSpec, strict",
            "arXiv 2511.01282",
            "ReSpec's trigger and candidates under the strict rule: the text is plain decoding's.",
            ReSpecSettings,
            "respec_core.methods.respec.drafter:build",
            presets=(AUTO, paper_preset(**PAPER), tuned_preset()),
            learns_from_rejected=recycles("fallback"),
            served=lambda params, beside: nowhere(NO_TRIGGER),
            front=("switch", "fallback", "budget_rule", "max_new_tokens"),
            sketch=sketch,
            margins={"theta_entropy": entropy_margin},
            traits=triggered(),
        ),
    ),
    checks=(FEEDBACK, TRIGGER, LONGEST_MATCH, SWITCH),
    panels=("app.panels.fusion:PANEL", "app.panels.lineages:PANEL"),
)

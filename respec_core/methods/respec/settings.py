"""ReSpec's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.methods.parts.head_tree import depth_knob, nodes_knob, width_knob
from respec_core.methods.parts.trigger_settings import TriggerSettings
from respec_core.settings.run_config import knob


class ReSpecSettings(TriggerSettings):
    """ReSpec (arXiv 2511.01282): its decisions, and who drafts otherwise."""

    fallback: Literal["auto", "eagle2", "draft-model", "recycling", "none"] = knob(
        "auto",
        "Otherwise draft with",
        "auto: the best drafter there is for this target (its EAGLE head, else a draft model, else recycling).",
    )
    fallback_nodes: int = nodes_knob(32, "Fallback tree", "Nodes of the head's tree, the root included.")
    fallback_depth: int = depth_knob(5, "Fallback depth")
    fallback_top_k: int = width_knob(8, "Fallback width")

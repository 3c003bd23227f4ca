"""ReSpec's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.methods.parts.trigger_settings import TriggerSettings
from respec_core.settings.run_config import knob


class ReSpecSettings(TriggerSettings):
    """ReSpec (arXiv 2511.01282): its decisions, and who drafts otherwise."""

    fallback: Literal["auto", "eagle2", "draft-model", "recycling", "none"] = knob(
        "auto",
        "Otherwise draft with",
        "auto: the best drafter there is for this target (its EAGLE head, else a draft model, else recycling).",
    )
    fallback_nodes: int = knob(
        32, "Fallback tree", "Nodes of the head's tree, the root included.", ge=2, le=128, step=1, unit="nodes"
    )
    fallback_depth: int = knob(6, "Fallback depth", "Levels of the head's tree.", ge=1, le=12, step=1, unit="levels")
    fallback_top_k: int = knob(8, "Fallback width", "Nodes expanded on a level, children of each.", ge=1, le=16, step=1)

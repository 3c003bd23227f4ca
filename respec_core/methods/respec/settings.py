"""ReSpec's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.methods.parts.head_tree import HeadTree, depth_knob, nodes_knob, width_knob
from respec_core.methods.parts.trigger_settings import TriggerSettings
from respec_core.settings.declaring import knob

HEADLESS = {"fallback": ("draft-model", "recycling", "none")}


class ReSpecSettings(TriggerSettings):
    """ReSpec (arXiv 2511.01282): its decisions, and who drafts otherwise."""

    fallback: Literal["auto", "eagle2", "draft-model", "recycling", "none"] = knob(
        "auto",
        "Otherwise draft with",
        "auto: the best drafter there is for this target (its EAGLE head, else a draft model, else recycling).",
        line="who guesses where nothing is copied",
    )
    fallback_nodes: int = nodes_knob(32, "Fallback tree", "Nodes of the head's tree, the root included.", idle=HEADLESS)
    fallback_depth: int = depth_knob(5, "Fallback depth", idle=HEADLESS)
    fallback_top_k: int = width_knob(8, "Fallback width", idle=HEADLESS)

    @property
    def head(self) -> HeadTree:
        """The size of the fallback's tree, if it is the head's."""
        return HeadTree(self.fallback_nodes, self.fallback_depth, self.fallback_top_k)

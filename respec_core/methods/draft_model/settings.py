"""The draft model's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.settings.declaring import Settings, knob
from respec_core.settings.sketch import Portion

CHAIN = {"shape": ("chain",)}


class DraftModelSettings(Settings):
    """A smaller causal model with the same tokenizer drafts (arXiv 2211.17192)."""

    shape: Literal["chain", "tree"] = knob(
        "chain",
        "Draft shape",
        "chain: one guess a position. tree: expand and rerank by confidence (EAGLE-2-style, token level).",
        line="one guess a position, or several",
    )
    depth: int = knob(
        5,
        "Draft depth",
        "Forward passes of the draft model each round.",
        line="how far ahead the small model guesses",
        ge=1,
        le=32,
        step=1,
        unit="tokens",
    )
    tree_top_k: int = knob(
        4, "Branches", "Children kept for each expanded node (tree).", idle=CHAIN, ge=1, le=16, step=1
    )
    tree_nodes: int = knob(
        24, "Tree nodes", "Nodes verified at once (tree).", idle=CHAIN, ge=1, le=128, step=1, unit="nodes"
    )
    confidence_stop: float = knob(
        0.0,
        "Confidence stop",
        "End the chain behind a token below this probability; 0 never ends early.",
        line="stop guessing where the small model is unsure",
        idle={"shape": ("tree",)},
        ge=0.0,
        le=1.0,
        step=0.05,
    )

    def part(self, name: str = "the draft model") -> Portion:
        """The most that it drafts: a chain, or a tree of which every level is grown from ``tree_top_k`` nodes."""
        if self.shape == "chain":
            return Portion(name, "model", (1,) * self.depth)
        wide = (self.tree_top_k, *(self.tree_top_k**2 for _ in range(self.depth - 1)))
        return Portion(name, "model", wide, self.tree_nodes)

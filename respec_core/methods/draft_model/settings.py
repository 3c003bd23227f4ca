"""The draft model's settings, with where their defaults come from. Imports no torch."""

from __future__ import annotations

from typing import Literal

from respec_core.settings.run_config import Settings, knob


class DraftModelSettings(Settings):
    """A smaller causal model with the same tokenizer drafts (arXiv 2211.17192)."""

    shape: Literal["chain", "tree"] = knob(
        "chain",
        "Draft shape",
        "chain: one guess a position. tree: expand and rerank by confidence (EAGLE-2-style, token level).",
    )
    depth: int = knob(
        5, "Draft depth", "Forward passes of the draft model each round.", ge=1, le=32, step=1, unit="tokens"
    )
    tree_top_k: int = knob(4, "Branches", "Children kept for each expanded node (tree).", ge=1, le=16, step=1)
    tree_nodes: int = knob(24, "Tree nodes", "Nodes verified at once (tree).", ge=1, le=128, step=1, unit="nodes")
    confidence_stop: float = knob(
        0.0,
        "Confidence stop",
        "End the chain behind a token below this probability; 0 never ends early.",
        ge=0.0,
        le=1.0,
        step=0.05,
    )

"""A smaller model that drafts, in serving engines. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from respec_core.settings.serving import Equivalent, Equivalents

UNNAMED = "DRAFT_MODEL"


def served(params: Mapping[str, Any], beside: Mapping[str, str]) -> Equivalents:
    """All three have it; a tree is SGLang's only."""
    model, depth, tree = beside.get("draft-model", UNNAMED), params["depth"], params["shape"] == "tree"
    unnamed = [f"Put the draft model in the place of {UNNAMED}, or give --draft-model."] if model == UNNAMED else []
    chain = ["It drafts a chain of this depth, no tree."] if tree else []
    unstopped = ["A chain is not ended early at low confidence."] if params["confidence_stop"] else []
    return {
        "vllm": Equivalent(
            "near" if chain or unstopped else "same",
            {"method": "draft_model", "model": model, "num_speculative_tokens": depth},
            (*unnamed, *chain, *unstopped),
        ),
        "sglang": Equivalent(
            "near" if unstopped else "same",
            {
                "speculative-algorithm": "STANDALONE",
                "speculative-draft-model-path": model,
                "speculative-num-steps": depth,
                "speculative-eagle-topk": params["tree_top_k"] if tree else 1,
                "speculative-num-draft-tokens": (params["tree_nodes"] if tree else depth) + 1,
            },
            (*unnamed, *unstopped),
        ),
        "transformers": Equivalent(
            "near" if chain else "same",
            {
                "assistant_model": model,
                "num_assistant_tokens": depth,
                "num_assistant_tokens_schedule": "constant",
                "assistant_confidence_threshold": params["confidence_stop"],
            },
            (*unnamed, *chain),
        ),
    }
